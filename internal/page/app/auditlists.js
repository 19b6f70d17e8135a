// The tables, and what to look at first.

const firsts = 3;

// The classes of findings in words, the weightiest first.
const findingClasses = {"new": "new", "reported": "reported", "unconfirmed": "unconfirmed", "documentation": "documentation", "interpretation": "interpretation", "erratum": "erratum", "by-design": "by design"};

// elsewhere goes to a table.
function elsewhere(id, text) { return h("a", {href: `#${id}`}, text); }

// documented says in a word whether a decision is as documented.
function documented(decision) {
  const found = (decision.findings ?? []).map(id => audit.findings.find(finding => finding.id === id)?.class);
  const worst = Object.keys(findingClasses).find(name => found.includes(name));
  return !worst ? "yes" : `${["new", "reported", "unconfirmed"].includes(worst) ? "no" : "yes"}, ${findingClasses[worst]}`;
}

function groupSheet(title, all) {
  return sheet("pending", title, [
    {head: "pod", of: group => lighter(`group-${groups.indexOf(group)}`, groupTitle(group)), by: group => group.pods[0]},
    {head: "pods", of: group => group.pods.length},
    {head: "as documented", of: group => documented(group.decision)},
    {head: "what becomes of them", of: group => becomes(group.decision), wide: true},
  ], all);
}

function first() {
  const hopeless = groups.map((group, g) => [group, g]).filter(([group]) => group.decision.outcome === "wait").sort(([a], [b]) => b.pods.length - a.pods.length);
  const pods = hopeless.reduce((sum, [group]) => sum + group.pods.length, 0), find = key => marks.find(mark => mark.key === key);
  const more = (all, id) => all.length > firsts ? h("li", {}, elsewhere(id, `${count(all.length - firsts)} more`)) : null;
  const block = (title, items) => h("li", {}, h("strong", {}, title), h("ul", {}, items));
  const list = [];
  if (hopeless.length) list.push(block(`${plural(pods, "pending pod")} can go to no node${whatIf ? " at the end" : ", whoever is evicted"}`,
    [...hopeless.slice(0, firsts).map(([group, g]) => h("li", {}, lighter(`group-${g}`, groupTitle(group)), ` ${mainReason(group.decision)}`,
      data.given && !whatIf && h("code", {}, `modelcheck explain ${data.given} ${group.pods[0]}`))), more(hopeless, "pending")]));
  if (rules.length) list.push(block("Nodes no longer keep rules that pods on them require",
    [...rules.slice(0, firsts).map((rule, r) => h("li", {}, lighter(`rule-${r}`, rule.plugin), ` ${plural(rule.pods.length, "pod")}: ${several(rule.pods.map(pod => `${pod.pod} on ${pod.node}`), "pod")}`)), more(rules, "rules")]));
  if (find("over")) list.push(block("Requests exceed what nodes have", [h("li", {}, lighter("mark-over", plural(find("over").nodes.length, "node")), ` ${several(find("over").nodes.map(node => node.name), "node")}`)]));
  if (find("closed")) list.push(block("Nodes are closed to every pending pod, whoever is evicted", [h("li", {}, lighter("mark-closed", plural(find("closed").nodes.length, "node")))]));
  if (whatIf?.blocked?.length) list.push(block("A drain cannot evict pods", [h("li", {}, elsewhere("blocked", plural(whatIf.blocked.length, "pod")))]));
  if (audit.budgets.length) list.push(block("Budgets block evictions now", [h("li", {}, elsewhere("budgets", plural(audit.budgets.length, "budget")), ` ${several(audit.budgets.map(budget => budget.name), "budget")}`)]));
  return h("section.first", {}, h("h2", {}, "What to look at first"), list.length ? h("ul", {}, list)
    : h("p", {}, "Nothing: no pending pod is without hope, no rule broken, no node overcommitted, no eviction blocked."));
}

function changes() {
  if (!whatIf) return null;
  const {fill} = whatIf;
  return h("section", {}, h("h2", {}, `What if: ${whatIf.changes.join("; ")}`),
    h("details", {}, h("summary", {}, "What is assumed"), h("ul.prose", {}, whatIf.assumed.map(text => h("li", {}, text)))),
    fill && h("p", {}, h("strong", {}, `${fill.unfinished ? "At least " : ""}${count(fill.copies)} more ${fill.copies === 1 ? "copy fits" : "copies fit"} of ${fill.pod}`), `, on ${plural(copies.size, "node")}. `,
      !fill.unfinished && `The next one ${becomes(fill.next)}.`),
    whatIf.removed && h("p", {}, `A controller deletes ${several(whatIf.removed.map(pod => pod.pod), "pod")}.`),
    whatIf.unsettled && h("p.note", {}, `Given up after many tries: ${several(whatIf.unsettled, "pod")}.`));
}

function lists() {
  const node = {head: "node", of: pod => nodeLink(pod.node), by: pod => pod.node ?? ""}, pod = {head: "pod", of: row => row.pod};
  return [
    groupSheet(whatIf ? "Pods that still wait" : "Pending pods", groups),
    whatIf && sheet("evicted", "Pods that are evicted", [pod, node, {head: "for", of: row => row.for ?? "the drain"}, {head: "created again as", of: row => row.recreated ?? "not"}], whatIf.evicted),
    whatIf && sheet("placed", "Pods that are placed", [pod, node], whatIf.placed),
    whatIf && sheet("blocked", "Pods that a drain cannot evict", [pod, node, {head: "budgets", of: row => row.budgets.join(", ")}], whatIf.blocked ?? []),
    whatIf?.fill && sheet("fill", "Copies that fit", [{head: "node", of: ([name]) => nodeLink(name), by: ([name]) => name}, {head: "copies", of: ([, n]) => n}], [...copies].sort(([, a], [, b]) => b - a)),
    sheet("rules", "Rules that nodes no longer keep", [pod, node, {head: "rule", of: row => row.plugin}], rules.flatMap(rule => rule.pods.map(row => ({...row, plugin: rule.plugin})))),
    sheet("budgets", "Budgets that block evictions", [{head: "budget", of: row => row.name}, {head: "allows", of: row => row.disruptionsAllowed}, {head: "pods", of: row => row.pods}, {head: "nodes", of: row => row.nodes},
      {head: "remarks", of: row => [row.ever && "never allows any", row.doubly && `${plural(row.doubly, "pod")} covered by another budget too`].filter(Boolean).join(", ")}], audit.budgets),
    sheet("moves", `Bound pods that would not be placed where they are, of ${count(audit.bound?.asked ?? 0)} that were asked about`, [pod, node, {head: "today", of: row => becomes(row.decision), wide: true}], audit.bound?.moves ?? []),
    sheet("nodes", "Nodes", [{head: "node", of: row => nodeLink(row.name), by: row => row.name}, {head: "zone", of: row => row.zone ?? ""}, {head: "pods", of: row => row.pods},
      ...resources.map(name => ({head: `${name} %`, of: row => row.utilisation[name] ?? 0})), {head: "marks", of: row => marksOf(row).join(", ")}], nodes),
    findings(),
  ];
}

// findings are what is not as documented in the decisions.
function findings() {
  const order = Object.keys(findingClasses);
  const title = finding => (finding.quirks ?? []).map(quirk => quirk.doc).join(" ") || finding.example.reasons.join("; ") || `${finding.property} does not hold`;
  const sorted = audit.findings.toSorted((a, b) => order.indexOf(a.class) - order.indexOf(b.class));
  return sheet("findings", "Decisions that are not as documented", [{head: "what is wrong", of: title, wide: true}, {head: "class", of: finding => h(`span.badge.${finding.class}`, {}, findingClasses[finding.class] ?? finding.class), by: finding => order.indexOf(finding.class)},
    {head: "id", of: finding => finding.id}, {head: "decisions", of: finding => finding.count}], sorted)
    ?? h("p", {}, `Of ${plural(audit.decisions, "decision")} each is as documented.`);
}
