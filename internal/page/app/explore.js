// The view in which states are explored: the state, the steps that are enabled, the way so far, and the decision about a pending pod.

function exploreHref(scenario, start, path, pod = "") {
  const parts = [encodeURIComponent(scenario), start, path.join(".") || "-"];
  return `#/explore/${parts.join("/")}${pod ? `/${encodeURIComponent(pod)}` : ""}`;
}

// memory keeps the scale of each scenario, so that colours stay when states are visited, and the longest way, to go forward again.
const memory = {scales: {}, way: null};

function exploreView(name, start, path, pod) {
  const scenario = scenarioNumber(name);
  if (scenario < 0) return missing(data.scenarios.length ? `This page has no scenario called ${name}.` : "Clusters that were drawn at random stand by themselves: there is nothing to explore.");
  const state = h("div"), choices = h("div"), way = h("div"), decision = h("div"), trouble = h("div", {role: "alert"});
  const href = (steps, about) => exploreHref(name, start, steps, about);
  const back = path.length ? href(path.slice(0, -1)) : null;
  const remembered = memory.way?.name === name && memory.way.start === start && path.every((step, i) => memory.way.path[i] === step) ? memory.way.path : path;
  memory.way = {name, start, path: remembered};
  const on = remembered.length > path.length ? href(remembered.slice(0, path.length + 1)) : null;
  const move = (label, to, sign) => h("a.button", to ? {href: to} : {role: "link", "aria-disabled": "true"}, sign, label);

  const fill = async () => {
    let at;
    try {
      at = await walk(scenario, start, path);
    } catch (error) {
      trouble.replaceChildren(h("p.alarm", {}, error.message));
      return;
    }
    const scale = memory.scales[name] ??= new Scale();
    scale.add(at.state);
    let picked = pod;
    const draw = () => state.replaceChildren(drawCluster(at.state, scale, {
      changed: at.steps.at(-1)?.pod, picked, redraw: draw, apart: nodesOf(at.steps, [at.state]),
      pick: other => { picked = picked === other ? null : other; draw(); refocus(state, other); if (at.state.asking?.some(asking => asking.pod === other)) about(other, true); },
    }));
    draw();
    choices.replaceChildren(choiceList(at.state, path, href));
    way.replaceChildren(wayList(at.steps, path, href));
    announce(`${at.steps.length ? `After ${at.steps.at(-1).text}` : "The initial state"}. ${plural(at.state.choices?.length ?? 0, "action")} enabled.`);
    const about = async (who, linked) => {
      try {
        const answer = await decide(scenario, start, path, at.state, who);
        const tabs = h("div.tabs", {role: "group", "aria-label": "Pending pods"}, at.state.asking.map(asking =>
          h("button", {type: "button", title: asking.pod, "aria-pressed": String(asking.pod === who), onclick: () => about(asking.pod, true)}, shortName(asking.pod))));
        decision.replaceChildren(h("h2.unseen", {}, "Decisions"), at.state.asking.length > 1 ? tabs : "", answer ? drawDecision(answer) : h("p.soft", {}, "This decision is not in the file."));
        if (linked) remember(href(path, who));
      } catch (error) {
        trouble.replaceChildren(h("p.alarm", {}, error.message));
      }
    };
    const asks = at.state.asking?.find(asking => asking.pod === pod)?.pod ?? at.state.asking?.[0]?.pod;
    if (asks) await about(asks, false);
  };
  return {
    title: `explore ${name}`,
    element: h("article.explore", {},
      h("h1", {tabindex: "-1"}, "Explore"),
      h("div.pickers", {}, scenarioPicker(name), startPicker(scenario, start, name)),
      trouble,
      h("div.split", {},
        h("div", {}, state),
        h("aside", {}, h("h2", {}, "What can happen next"), choices,
          h("div.actions", {}, move("Back", back, "◀ "), move("Forward", on, "▶ ")),
          h("h2", {}, "The way so far"), way)),
      decision),
    key: event => {
      if (event.key === "ArrowLeft" && back) location.hash = back;
      else if (event.key === "ArrowRight" && on) location.hash = on;
      else if (/^[1-9]$/.test(event.key)) choices.querySelectorAll("a")[Number(event.key) - 1]?.click();
      else return false;
      return true;
    },
    begin: fill,
  };
}

function choiceList(state, path, href) {
  if (!state.choices) return h("p.note", {}, "This file ends here: it holds a part of the states only. modelcheck serve, with the same flags, goes on.");
  if (!state.choices.length) return h("p.soft", {}, "Nothing can happen any more.");
  let key = 0;
  return h("ol.choices", {}, state.choices.map((choice, i) => {
    const label = [h("span.action", {}, choice.action), h("span", {}, choice.text, takers(choice))];
    if (choice.idle) return h("li", {}, h("span.idle", {}, label));
    key++;
    return h("li", {}, h("a", {href: href([...path, i]), "aria-keyshortcuts": key < 10 ? String(key) : null}, label, key < 10 && h("kbd", {"aria-hidden": "true"}, String(key))));
  }));
}

function wayList(steps, path, href) {
  return h("ol.steps", {}, [null, ...steps].map((step, i) => h("li", {}, h("a", {href: href(path.slice(0, i)), "aria-current": i === path.length ? "step" : null},
    h("span.ordinal", {}, String(i)), h("span", {}, step ? step.text : "the initial state")))));
}

function scenarioPicker(name) {
  const go = event => { const {name, starts} = data.scenarios[event.target.selectedIndex]; location.hash = exploreHref(name, starts[0].name, []); };
  return h("label", {}, "Scenario ", h("select", {onchange: go}, data.scenarios.map(scenario => h("option", {selected: scenario.name === name}, scenario.name))));
}

function startPicker(scenario, start, name) {
  const starts = data.scenarios[scenario].starts.filter(other => data.live || other.state !== undefined).map(({name, text}) => ({name, text}));
  const trace = /^f(\d+)\.(\d+)$/.exec(start);
  if (trace) starts.unshift({name: start, text: `step ${trace[2]} of finding ${Number(trace[1]) + 1}`});
  return h("label", {}, "Begin with ", h("select", {onchange: event => { location.hash = exploreHref(name, starts[event.target.selectedIndex].name, []); }},
    starts.map(other => h("option", {selected: other.name === start}, other.text))));
}

