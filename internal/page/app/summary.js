// The summary: verdict, findings, what was explored, how often each plugin and property had something to say, and what is not covered.

// verdict is what came out, in the report's words. It is marked as good only if nothing was found to be wrong.
function verdict(r) {
  const words = r.headline || r.verdict;
  const passed = ["holds", "conforms but for deviations"].includes(r.verdict);
  const clean = passed && !r.findings.some(finding => ["new", "reported", "unconfirmed"].includes(finding.class)) && !stuck(r);
  const color = !passed ? `verdict-${r.verdict.replaceAll(" ", "-")}` : clean ? "verdict-holds" : "verdict-but";
  return h("h1", {tabindex: "-1", class: color}, clean && h("span", {"aria-hidden": "true"}, "✓ "), words.charAt(0).toUpperCase() + words.slice(1));
}

// stuck reports whether pods of a cluster that was given end up unschedulable.
function stuck(r) { return r.scope.source === "manifests" && r.scenarios.some(s => s.ends.some(end => end.label.includes("unschedulable"))); }

function summaryView() {
  const r = data.report, d = r.decisions;
  return {
    title: r.verdict,
    element: h("article.summary", {},
      verdict(r),
      h("p.lead", {}, `kube-scheduler ${r.kubernetesVersion}, profile ${r.profile}, compared decision by decision with the formal model of placement, reading “${r.reading}”. ${scopeText(r.scope)}`),
      [...data.notes, ...(data.report.notSeen ?? []).map(known => `${known.quirk} is ${known.class}, and was not seen in this scope though its smallest cluster is in it (${known.find}).`)].map(note => h("p.note", {}, note)),
      h("dl.tiles", {},
        tile("states", r.states.distinct), tile("transitions", r.states.generated), tile("distinct decisions", d.distinct), tile("findings", r.findings.length)),
      findingTable(sortedFindings()),
      outcomeBar(d),
      scenarioTable(r.scenarios),
      actionTable(r.scenarios),
      table("Filters, over every node of every distinct decision", ["filter", "fits", "unschedulable", "unresolvable", ""], r.plugins.filters.map(f =>
        [plugin(f.name), f.fits, f.unschedulable, f.unresolvable, {of: remark(f.modelled, f.unschedulable + f.unresolvable === 0, "fits on every node"), class: "soft"}])),
      table("Scores, over every node of every distinct decision", ["score", "weight", "scores", "distinct values", ""], r.plugins.scores.map(s =>
        [plugin(s.name), s.weight, s.scores, s.distinctValues, {of: remark(s.modelled, s.distinctValues <= 1, "the same for all nodes"), class: "soft"}])),
      table("Properties", ["property", "of", "verdict", "exercised", "what must hold"], r.properties.map(p =>
        [p.name, p.of, {of: h(`span.badge.${p.verdict.replaceAll(" ", "-")}`, {}, p.verdict)}, p.exercised, {of: p.doc, class: "prose"}])),
      h("section", {}, h("h2", {}, "Not covered"), h("ul.prose", {}, r.notCovered.map(line => h("li", {}, line))))),
    key: () => false,
    begin: () => {},
  };
}

function scopeText(scope) {
  if (scope.source === "random") return `Clusters drawn at random, seed ${scope.random.seed}.`;
  if (scope.source === "manifests") return `The cluster of ${plural(scope.nodes, "node")} in ${scope.files.join(", ")}, in which ${scope.pods ? `up to ${plural(scope.pods, "more pod")} arrive` : "no more pods arrive"}.`;
  return `Every cluster of ${scope.nodes === 1 ? "1 node" : `1 to ${scope.nodes} nodes`}, in which up to ${plural(scope.pods, "pod")} arrive, drawn from the templates of each theme.`;
}

function tile(name, number) { return h("div", {}, h("dt", {}, name), h("dd", {}, count(number))); }

function outcomeBar(d) {
  const parts = [["bind", d.bind], ["preempt", d.preempt], ["wait", d.wait]].filter(([, n]) => n > 0);
  return h("figure.outcomes", {}, h("figcaption", {}, "Outcomes of the distinct decisions"),
    h("div.stack", {"aria-hidden": "true"}, parts.map(([name, n]) => h(`span.${name}`, {"--part": n}))),
    h("ul", {}, parts.map(([name, n]) => h(`li.${name}`, {}, `${name} ${count(n)}`))));
}

function findingTable(findings) {
  if (!findings.length) return h("section", {}, h("h2", {}, "Findings"), h("p", {}, "No property is broken."));
  return table("Findings", ["what is wrong", "upstream", "seen", "steps"], findings.map(f => [
    {of: [classBadge(f.class), " ", h("a", {href: findingHref(f, f.example.steps.length)}, defect(f)), h("span.soft.id", {}, [f.property, f.plugin, ...(f.quirks ?? []).map(q => q.name)].filter(Boolean).join(" · "))], class: "sentence"},
    {of: upstream(f), class: "upstream"}, f.count, f.example.steps.length]), "findings");
}

function scenarioTable(scenarios) {
  if (!scenarios.length) return null;
  return table("Explored", ["scenario", "node templates", "pod templates", "states", "transitions", "depth", "questions", "search", "terminal states"], scenarios.map(s => {
    const known = data.scenarios.find(other => other.name === s.name);
    const start = known?.starts.find(other => data.live || other.state !== undefined);
    return [start ? h("a", {href: exploreHref(s.name, start.name, []), title: s.doc ?? null}, s.name) : s.name, s.nodeTemplates.length, s.podTemplates.length, s.states.distinct, s.states.generated, s.states.depth,
      s.questions, s.complete ? "complete" : s.stopped, {of: s.ends.map(end => `${end.label} ${count(end.count)}`).join(", "), class: "prose"}];
  }));
}

function actionTable(scenarios) {
  const totals = new Map();
  for (const {steps} of scenarios) for (const step of steps) {
    const [all, fresh] = totals.get(step.action) ?? [0, 0];
    totals.set(step.action, [all + step.steps, fresh + step.newStates]);
  }
  if (!totals.size) return null;
  return table("Actions", ["action", "steps", "new states", ""], [...totals].map(([action, [all, fresh]]) => [action, all, fresh, {of: all === 0 ? "never taken" : "", class: "soft"}]));
}

function remark(modelled, idle, never) { return [modelled ? "" : "not modelled", idle ? never : ""].filter(Boolean).join(", "); }

