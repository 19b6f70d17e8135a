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

// unequal is the model's answer where kube-scheduler's is another one.
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
      {of: sign(outcome.production)}, {of: told ? sign(outcome.documented) : "cannot tell"}];
  });
  const preempts = decision.outcomes.some(outcome => outcome.type === "preempt");
  return [
    table("What becomes of it", ["outcome", "kube-scheduler", "documented"], rows),
    h("p.soft", {}, "What is expected: ", plugin(preempts ? "DefaultPreemption" : "")),
    (decision.leastDamage ?? []).length > 0 && h("p.soft", {}, `Least damage of all: kube-scheduler ${decision.leastDamage.join(", or ")}.`),
  ];
}

function filters(decision) {
  if (!decision.nodes.length) return null;
  const rows = decision.nodes[0].statuses.map((first, f) => {
    const cells = decision.nodes.map(node => node.statuses[f]);
    return {name: first.plugin, cells, telling: cells.some(cell => cell.model || cell.production !== "fits")};
  });
  const row = ({name, cells}) => [plugin(name), ...cells.map(cell => ({
    of: [status(cell.production), cell.model && unequal(cell.model)], class: cell.model ? "differs" : ""}))];
  const together = ["all, with nominations", ...decision.nodes.map(node => {
    if (!node.overall) return {of: "not looked at", class: "soft"};
    const differs = !decision.unmodelled?.length && (node.overall === "fits") !== node.modelFeasible;
    return {of: [status(node.overall), differs && unequal(node.modelFeasible ? "fits" : "unschedulable")], class: differs ? "differs" : ""};
  })];
  const heads = ["filter", ...decision.nodes.map(node => node.name)];
  const telling = rows.filter(each => each.telling), passed = rows.filter(each => !each.telling);
  return [
    table("Filters", heads, [...telling.map(row), together], "statuses"),
    passed.length > 0 && h("details", {}, h("summary", {}, `${plural(passed.length, "filter")} that ${passed.length === 1 ? "fits" : "fit"} on every node`),
      table("Filters that fit on every node", heads, passed.map(row), "statuses")),
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
  const rows = scored[0].scores.map((first, r) => [plugin(first.plugin), decision.weights[first.plugin] ?? "", ...scored.map(node => {
    const score = node.scores[r];
    const wrong = differs(first.plugin, node.name);
    const model = score.model === score.production ? `${score.model}, from raw ${score.modelRaw}, not ${score.productionRaw}` : String(score.model);
    return {of: [h("span.bar", {"--part": score.production / (100 * (decision.weights[first.plugin] || 1))}, String(score.production)), wrong && unequal(model)], class: wrong ? "differs" : ""};
  })]);
  rows.push(["total", "", ...scored.map(node => ({of: [node.total === best && h("span", {"aria-hidden": "true"}, "★ "), String(node.total), node.total === best && h("span.unseen", {}, ", the best")], class: "total"}))]);
  return table("Scores, normalised and weighted", ["score", "weight", ...scored.map(node => node.name)], rows, "scores");
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

