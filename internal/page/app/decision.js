// The decision about a pod: what each filter says of each node, the scores, whom it could evict, and what becomes of it; kube-scheduler's
// beside the model's. What differs is marked by a sign and a colour.

const marks = {"fits": "✓", "unschedulable": "✕", "unresolvable": "⊘"};

function drawDecision(given, when = null) {
  const decision = {...given, nodes: byName(given.nodes)};
  return h("section.decision", {"aria-label": `Decision about ${decision.pod}`},
    h("h2", {}, `Where should ${decision.pod} go?`, when && h("span.soft", {}, ` ${when}`)),
    decision.failure && h("p.alarm", {}, `No decision: ${decision.failure}`),
    decision.internalError && h("p.alarm", {}, `An error met on the way: ${decision.internalError}`),
    decision.unmodelled && h("p.alarm", {}, `The model cannot tell what is allowed: it has no predicate for ${decision.unmodelled.join(", ")}.`),
    (decision.findings ?? []).map(findingNote),
    outcomes(decision), filters(decision), scores(decision), candidates(decision));
}

function findingNote(finding) {
  return h("div.note", {}, h("p", {}, classBadge(finding.class), " ", h("strong", {}, finding.property)),
    finding.reasons.map(reason => h("p", {}, reason)), (finding.quirks ?? []).map(quirk => h("p.soft", {}, quirkText(quirk))));
}

// unequal is what the model says where kube-scheduler says something else.
function unequal(model) { return h("span.unequal", {}, h("span", {"aria-hidden": "true"}, "≠ "), "model: ", model); }

function plugin(name) { return link(data.documents[name] ?? data.documents[""], name || "kube-scheduler"); }

function outcomeText(decision, outcome) {
  switch (outcome.type) {
  case "bind": return `bind it to ${outcome.node}`;
  case "preempt": return `evict ${(outcome.victims ?? ["nobody"]).join(", ")} from ${outcome.node} and nominate it to that node`;
  default: return outcome.keepsNomination ? "leave it pending, with its nomination" : "leave it pending";
  }
}

function outcomes(decision) {
  if (!decision.outcomes.length && !decision.leastDamage) return null;
  const sign = yes => yes ? h("span", {}, "✓", h("span.unseen", {}, " yes")) : h("span.soft", {}, "–", h("span.unseen", {}, " no"));
  const told = !(decision.unmodelled?.length);
  const rows = decision.outcomes.map(outcome => {
    const differs = told && outcome.production !== outcome.documented && !(outcome.documented && decision.outcomes.some(o => o.production && o.documented));
    return [{of: [differs && h("span", {"aria-hidden": "true"}, "≠ "), outcomeText(decision, outcome)], class: differs ? "differs" : ""},
      {of: sign(outcome.production)}, {of: !told ? "cannot tell" : outcome.undecided ? "not found out" : sign(outcome.documented)}];
  });
  const preempts = decision.outcomes.some(outcome => outcome.type === "preempt");
  return [
    table("What becomes of it", ["outcome", "kube-scheduler", "documented"], rows),
    h("p.soft", {}, "What is expected: ", plugin(preempts ? "DefaultPreemption" : "")),
    decision.moreOutcomes && h("p.soft", {}, "The model allows other preemptions too, too many to list."),
    decision.notWeighed && h("p.soft", {}, `Least damage of all: not computed, more than ${count(decision.notWeighed)} sets of pods.`),
    decision.sample && h("p.soft", {}, searchText(decision.sample, "feasible")),
    decision.shortlist && h("p.soft", {}, searchText(decision.shortlist, "nodes on which a preemption helps")),
    (decision.leastDamage ?? []).length > 0 && h("p.soft", {}, `Least damage of all: kube-scheduler ${decision.leastDamage.join(", or ")}.`),
  ];
}

// searchText tells of a search for nodes that ended once it had found enough.
function searchText(search, what) {
  return `kube-scheduler ended its search among ${count(search.nodes)} nodes once ${count(search.enough)} were found (${what}): it found ${count(search.found.length)}.`;
}

// widest is how many columns of nodes a table has, at most. More nodes are rows.
const widest = 6;

// alike groups nodes that a table has the same to say of.
function alike(nodes, told) {
  const groups = new Map();
  for (const node of nodes) {
    const key = nodes.length > widest ? JSON.stringify(told(node)) : node.name;
    groups.set(key, [...(groups.get(key) ?? []), node]);
  }
  return [...groups.values()];
}

// groupHead names a group by its first node; the others can be unfolded.
function groupHead([first, ...others]) {
  return {class: "whose", of: [first.name, others.length > 0 && h("details", {}, h("summary", {}, `and ${count(others.length)} more like it`), h("ul", {}, others.map(node => h("li", {}, node.name))))]};
}

// nodeTable has a column for each group of nodes, or a row where they are too many. A line is its head, what else there is of it besides
// nodes, and the cell of a node.
function nodeTable(caption, heads, lines, groups, classes) {
  const names = groups.map(groupHead);
  if (groups.length <= widest) return table(caption, [...heads, ...names], lines.map(({head, more = [], cell}) => [head, ...more, ...groups.map(([node]) => cell(node))]), classes);
  const across = lines.map(({head, more = []}) => ({of: [head, more.filter(word => word !== "").map(word => h("span.soft", {}, ` ${heads[1]} ${word}`))]}));
  return table(caption, ["node", ...across], groups.map((group, i) => [names[i], ...lines.map(({cell}) => cell(group[0]))]), classes);
}

function filters(decision) {
  if (!decision.nodes.length) return null;
  const lines = decision.nodes[0].statuses.map((first, f) => ({
    head: plugin(first.plugin), telling: decision.nodes.some(node => node.statuses[f].model || node.statuses[f].production !== "fits"),
    cell: node => {
      const {production, model} = node.statuses[f];
      return {of: [status(production), model && unequal(model)], class: model ? "differs" : ""};
    }}));
  const together = {head: "all, with nominations", cell: node => {
    if (!node.overall) return {of: "not looked at", class: "soft"};
    const model = togetherDiffers(decision, node);
    return {of: [status(node.overall), model && unequal(model)], class: model ? "differs" : ""};
  }};
  const groups = alike(decision.nodes, node => [node.statuses.map(({production, model}) => [production, model]), node.overall, togetherDiffers(decision, node)]);
  const telling = lines.filter(line => line.telling), passed = lines.filter(line => !line.telling);
  return [
    nodeTable("Filters", ["filter"], [...telling, together], groups, "statuses"),
    passed.length > 0 && h("details", {}, h("summary", {}, `${plural(passed.length, "filter")} that ${passed.length === 1 ? "fits" : "fit"} on every node`),
      h("ul.passed", {}, passed.map(line => h("li", {}, line.head)))),
  ];
}

function status(words) {
  return h(`span.status.${words === "fits" ? "fits" : "unschedulable"}`, {}, h("span", {"aria-hidden": "true"}, `${marks[words] ?? "?"} `), words);
}

function scores(decision) {
  const scored = decision.nodes.filter(node => node.scores);
  if (!scored.length) return null;
  const differs = (name, node) => (decision.scoresDiffer ?? []).some(([p, n]) => p === name && n === node);
  const best = Math.max(...scored.map(node => node.total));
  const lines = scored[0].scores.map((first, r) => ({
    head: plugin(first.plugin), more: [decision.weights[first.plugin] ?? ""],
    cell: node => {
      const score = node.scores[r], wrong = differs(first.plugin, node.name);
      return {of: [h("span.bar", {"--part": score.production / (100 * (decision.weights[first.plugin] || 1))}, String(score.production)), wrong && unequal(modelScore(score))], class: wrong ? "differs" : ""};
    }}));
  lines.push({head: "total", more: [""], cell: node => ({of: [node.total === best && h("span", {"aria-hidden": "true"}, "★ "), String(node.total), node.total === best && h("span.unseen", {}, ", the best")], class: "total"})});
  const groups = alike(scored, node => [node.scores, node.total]);
  return nodeTable("Scores, normalised and weighted", ["score", "weight"], lines, groups, "scores");
}

function candidates(decision) {
  if (!decision.candidates.length) return null;
  const starts = decision.candidates.some(candidate => candidate.earliestStart);
  const heads = ["evict", "from", "violations", "highest priority", "sum of priorities", "number", ...(starts ? ["earliest start"] : []), "candidate of"];
  const rows = decision.candidates.map(candidate => {
    const whose = [candidate.production && "kube-scheduler", candidate.documented && "documented", candidate.ideal && "least damage"].filter(Boolean);
    const n = (candidate.victims ?? []).length;
    return [(candidate.victims ?? ["nobody"]).join(", "), candidate.node, candidate.violations, {of: candidate.highestPriority ?? "", class: "number"},
      {of: `${candidate.prioritySum - n * 2 ** 31} + ${n}·2³¹`, class: "number"}, n, ...(starts ? [candidate.earliestStart ?? ""] : []),
      {of: whose.join(", "), class: candidate.production === candidate.documented ? "" : "differs"}];
  });
  return [table("Preemption: the damage of each candidate, in order of precedence", heads, rows), h("p.soft", {}, "What is expected: ", plugin("DefaultPreemption"))];
}

