// What is wrong with a finding in a sentence, and how kube-scheduler and the documents differ: what is to be read before anything else.

const classes = {"new": "new", "reported": "reported", "unconfirmed": "unconfirmed", "documentation": "documentation", "interpretation": "interpretation", "erratum": "erratum", "by-design": "by design", "witness": "found"};

// sortedFindings has the findings by class, those that nothing explains first, and as the report has them within a class.
function sortedFindings() {
  const order = Object.keys(classes), rank = finding => order.includes(finding.class) ? order.indexOf(finding.class) : 1;
  return [...data.report.findings].sort((a, b) => rank(a) - rank(b));
}

function classBadge(name) { return h(`span.badge.${name}`, {}, classes[name] ?? name); }

function propertyOf(finding) { return data.report.properties.find(other => other.name === finding.property); }

// defect says what is wrong: what kube-scheduler does instead of what is wanted, or which property does not hold.
function defect(finding) {
  const known = (finding.quirks ?? []).map(quirk => quirk.doc);
  if (known.length) return known.join(" ");
  const wanted = propertyOf(finding)?.doc || finding.property;
  return `${{"witness": "There is a case", "by-design": "By design it does not hold"}[finding.class] ?? "It does not hold"}: ${wanted}`;
}

// issues makes links of the issues that a text names.
function issues(text) {
  return text.split(/(kubernetes\/kubernetes#\d+)/).map(part => part.startsWith("kubernetes/kubernetes#")
    ? link(`https://github.com/kubernetes/kubernetes/issues/${part.split("#")[1]}`, part) : part);
}

// upstream is where the deviations that explain a finding are known.
function upstream(finding) { return (finding.quirks ?? []).map((quirk, i) => [i > 0 && ", ", issues(quirk.upstream)]); }

function quirkText(quirk) { return h("span", {}, classBadge(quirk.class), " ", h("strong", {}, quirk.name), " (", issues(quirk.upstream), "): ", quirk.doc); }

// normText quotes the sentence that a deviation does not keep, with its place; null if there is none.
function normText(norm) {
  if (!norm) return null;
  const source = norm.source?.startsWith("https://") ? link(norm.source, norm.where) : [norm.where, norm.source && ` (${norm.source})`];
  return [norm.quote && h("q", {}, norm.quote), norm.quote && " ", norm.quote && h("span.soft", {}, source), norm.reading && [norm.quote && "; ", norm.reading]];
}

// expectation is what stands over what the model has a pod do: that it is documented only if a sentence says so for every deviation.
function expectation(finding) {
  const bases = (finding.quirks ?? []).map(quirk => quirk.norm?.basis);
  if (!bases.length || bases.some(basis => !basis || basis === "our reading")) return "The model expects";
  return bases.includes("stated in code") ? "Stated in code" : "Documented";
}

// differences shows, beside each other, what kube-scheduler does and what is documented.
function differences(finding, decision) {
  const rows = decision ? differing(finding, decision) : [];
  const lines = texts => texts.map(text => h("p", {}, text));
  const side = (name, heading, texts) => h(`section.${name}`, {}, h("h2", {}, heading), lines(texts));
  if (rows.length) {
    const heading = finding.class === "by-design" ? "Least damage" : data.report.reading === "literal" ? "The model as written" : expectation(finding);
    return h("div.versus", {}, side("does", "kube-scheduler", rows.map(row => row[0])), side("documented", heading === "Documented" ? link(data.documents[finding.plugin ?? ""] ?? data.documents[""], heading) : heading, rows.map(row => row[1])));
  }
  return h("div.versus", {}, side("does", finding.class === "witness" ? "Found" : "kube-scheduler", [...new Set(finding.example.reasons)]),
    side("documented", finding.class === "witness" ? "Looked for" : "What should hold", [propertyOf(finding)?.doc ?? finding.property]));
}

// differing lists what kube-scheduler says and what is documented where they are not the same. What the finding is about comes first.
function differing(finding, decision) {
  const parts = [outcomesDiffering(finding, decision), statusesDiffering(decision), scoresDiffering(decision)];
  const own = finding.property.startsWith("status") ? 1 : finding.property.startsWith("score") ? 2 : 0;
  return [...parts[own], ...parts.flatMap((part, i) => i === own ? [] : part)].slice(0, 4);
}

function outcomesDiffering(finding, decision) {
  const told = !decision.unmodelled?.length, texts = by => decision.outcomes.filter(by).map(outcome => outcomeDone(decision, outcome)).join(", or ");
  const does = decision.failure ? `no decision: ${decision.failure}` : texts(outcome => outcome.production);
  if (finding.class === "by-design" && decision.leastDamage?.length) return [[does, decision.leastDamage.join(", or ")]];
  if (!does || !told || !decision.outcomes.some(outcome => outcome.documented)) return decision.failure ? [[does, "a decision"]] : [];
  return decision.failure || decision.outcomes.some(outcome => outcome.production !== outcome.documented) ? [[does, texts(outcome => outcome.documented)]] : [];
}

function outcomeDone(decision, outcome) {
  switch (outcome.type) {
  case "bind": return `binds ${decision.pod} to ${outcome.node}`;
  case "preempt": return `evicts ${several(outcome.victims ?? ["nobody"], "pod")} from ${outcome.node} and nominates ${decision.pod} to it`;
  default: return `leaves ${decision.pod} pending${outcome.keepsNomination ? ", with its nomination" : ""}`;
  }
}

// statusesDiffering has a row for all nodes of which a filter says the same, and the model something else.
function statusesDiffering(decision) {
  const same = new Map();
  const add = (who, production, model, node) => {
    const key = JSON.stringify([who, production, model]);
    same.set(key, [...(same.get(key) ?? []), node]);
  };
  for (const node of byName(decision.nodes)) {
    for (const {plugin, production, model} of node.statuses) if (model) add(plugin, production, model, node.name);
    const model = togetherDiffers(decision, node);
    if (model) add("", node.overall, model, node.name);
  }
  return [...same].map(([key, nodes]) => {
    const [who, production, model] = JSON.parse(key), on = several(nodes, "node");
    const says = status => `${who && `${who}: `}${decision.pod} ${status === "fits" ? "fits" : `is ${status} on`} ${on}`;
    return [says(production), says(model)];
  });
}

// togetherDiffers is what the model says of all filters together, if it is not what they say.
function togetherDiffers(decision, node) {
  const differs = node.overall && !decision.unmodelled?.length && (node.overall === "fits") !== node.modelFeasible;
  return differs ? (node.modelFeasible ? "fits" : "unschedulable") : null;
}

function scoresDiffering(decision) {
  const rows = (decision.scoresDiffer ?? []).map(([plugin, name]) => {
    const score = decision.nodes.find(node => node.name === name)?.scores?.find(other => other.plugin === plugin);
    return score && [`${plugin} scores ${name} ${score.production}`, `${plugin} scores ${name} ${modelScore(score)}`];
  }).filter(Boolean);
  return rows.length > 3 ? [...rows.slice(0, 2), [`and ${plural(rows.length - 2, "more score")}, below`, `and ${plural(rows.length - 2, "more score")}, below`]] : rows;
}

// modelScore is the model's score where kube-scheduler's, or the raw one that it comes from, is another.
function modelScore(score) {
  return score.model === score.production ? `${score.model}, from raw ${score.modelRaw}, not ${score.productionRaw}` : String(score.model);
}

