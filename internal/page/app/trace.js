// The view of a finding: what is wrong, and its counterexample to step through.

function findingHref(finding, step) { return `#/finding/${encodeURIComponent(finding.id)}/${step}`; }

function findingView(id, step) {
  const index = data.report.findings.findIndex(finding => finding.id === id);
  if (index < 0) return missing(`This page has no finding called ${id}.`);
  const finding = data.report.findings[index], trace = data.traces[index];
  const property = propertyOf(finding), found = trace.stages.at(-1).decision;
  const apart = nodesOf(finding.example.steps, trace.stages.map(stage => data.states[stage.state]), found === undefined ? null : data.decisions[found]);
  const scale = new Scale(trace.stages.map(stage => data.states[stage.state]));
  const cluster = h("div"), decision = h("div"), next = h("p.next");
  const scenario = data.scenarios[trace.scenario];
  const explore = h("a.button", {}, "Explore from here");
  let picked = null, at = 0;

  const draw = () => {
    const stage = trace.stages[at], state = data.states[stage.state];
    const changed = at > 0 ? trace.stages[at - 1].step.pod : null;
    cluster.replaceChildren(drawCluster(state, scale, {changed, picked, apart, redraw: draw, pick: pod => { picked = picked === pod ? null : pod; draw(); refocus(cluster, pod); }}));
  };
  const timeline = new Timeline(trace.stages, finding.example.loop ?? 0, i => findingHref(finding, i), i => {
    at = i;
    const stage = trace.stages[i];
    draw();
    // What is decided here; where nothing is, what was decided to come here.
    const before = trace.stages[i - 1]?.decision;
    if (stage.decision !== undefined) decision.replaceChildren(drawDecision(data.decisions[stage.decision], stage.step ? "decided here, and carried out next" : "decided here"));
    else if (before !== undefined) decision.replaceChildren(drawDecision(data.decisions[before], "decided before the last step, which carried it out"));
    else decision.replaceChildren();
    next.replaceChildren(...(stage.step ? [h("strong", {}, "Next: "), stage.step.text] : [h("strong", {}, "This is where it leads.")]));
    if (stage.start) explore.href = exploreHref(scenario.name, stage.start, []);
    announce(`Step ${i} of ${timeline.last}: ${timeline.text(i)}`);
    remember(findingHref(finding, i));
  });
  const others = sortedFindings(), place = others.indexOf(finding), controls = h("div.bar-bottom", {}, timeline.controls, next);
  return {
    title: finding.id,
    element: h("article.finding", {},
      h("p.crumbs", {}, h("a", {href: "#/"}, "Summary"), ` / finding ${place + 1} of ${others.length}`,
        place > 0 && [" · ", h("a", {href: findingHref(others[place - 1], 0)}, "previous")],
        place < others.length - 1 && [" · ", h("a", {href: findingHref(others[place + 1], 0)}, "next")]),
      h("h1.sentence", {tabindex: "-1"}, defect(finding)),
      h("p.about-it", {}, classBadge(finding.class), " ", h("span.soft", {}, finding.property, finding.plugin && ` · ${finding.plugin}`, finding.quirks && [" · ", upstream(finding)],
        ` · seen in ${seenIn(finding.count, property?.of)}`)),
      differences(finding, found === undefined ? null : data.decisions[found]),
      h("details.more", {}, h("summary", {}, "More about it"), h("dl.facts", {},
        h("dt", {}, "wanted"), h("dd", {}, property?.doc ?? ""),
        h("dt", {}, finding.class === "witness" ? "found" : "but"), h("dd", {}, [...new Set(finding.example.reasons)].map(reason => h("p", {}, reason))),
        finding.plugin && [h("dt", {}, "plugin"), h("dd", {}, finding.plugin, " ", h("span.soft", {}, "documented in "), documentLink(finding.plugin))],
        (finding.quirks ?? []).map(quirk => [h("dt", {}, "by rule"), h("dd", {}, quirkText(quirk)), quirk.norm && [h("dt", {}, quirk.norm.basis), h("dd", {}, normText(quirk.norm))]]),
        h("dt", {}, "shortest in"), h("dd", {}, finding.example.scenario))),
      h("div.split", {},
        h("div", {}, cluster),
        h("aside", {}, h("h2", {}, trace.stages.length > 1 ? "Shortest way there" : "In the initial state"), timeline.list, timeline.repeats,
          h("div.actions", {}, trace.scenario >= 0 && explore, copyButton(finding)))),
      controls,
      decision),
    key: event => timeline.key(event),
    begin: () => {
      timeline.go(step);
      // What is told about a pod stays above the controls, which stay at the bottom.
      new ResizeObserver(() => cluster.style.setProperty("--bar", `${controls.offsetHeight}px`)).observe(controls);
    },
  };
}

// seenIn says how often a finding was seen, by what its property is one of.
function seenIn(n, of) {
  if (of === "behaviour") return `${plural(n, "set")} of states that lead back to each other`;
  if (of === "node") return `${plural(n, "node")} of states`;
  return plural(n, of === "step" ? "step" : "distinct decision");
}

function documentLink(name) {
  const address = data.documents[name] ?? data.documents[""];
  return link(address, address.replace("https://", "").replace(/\/$/, ""));
}

// copyButton puts the cluster at the end on the clipboard, as modelcheck -f reads it.
function copyButton(finding) {
  const button = h("button", {type: "button", title: "The objects at the end, as modelcheck -f and kubectl read them", onclick: async () => {
    try {
      await navigator.clipboard.writeText(JSON.stringify(finding.example.cluster, null, 2));
      announce("The cluster is on the clipboard.");
      button.textContent = "Copied";
    } catch {
      button.textContent = "The browser does not allow it";
    }
    setTimeout(() => { button.textContent = "Copy cluster as JSON"; }, 2000);
  }}, "Copy cluster as JSON");
  return button;
}

// refocus gives the focus back to a pod or node that was drawn anew.
function refocus(root, pod) { [...root.querySelectorAll("button[data-pod], button[data-about]")].find(block => (block.dataset.pod ?? block.dataset.about) === pod)?.focus(); }

function missing(text) { return {title: "not found", element: h("article", {}, h("h1", {tabindex: "-1"}, "Not here"), h("p", {role: "alert"}, text), h("p", {}, h("a", {href: "#/"}, "To the summary")))}; }

