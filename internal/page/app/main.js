// The address after # says what is shown, so that every state can be linked to.

let view = null;

function viewOf(hash) {
  const [name, ...parts] = hash.replace(/^#\/?/, "").split("/").map(part => { try { return decodeURIComponent(part); } catch { return part; } });
  switch (name) {
  case "": return summaryView();
  case "finding": return findingView(parts[0], Number(parts[1]) || 0);
  case "explore": {
    const first = data.scenarios[0];
    const [scenario = first?.name ?? "", start, path = "-", pod = null] = parts;
    const begin = data.scenarios.find(other => other.name === scenario)?.starts.find(other => data.live || other.state !== undefined)?.name;
    return exploreView(scenario, start ?? begin ?? "i0", path === "-" || path === "" ? [] : path.split(".").map(Number), pod);
  }
  default: return missing(`There is nothing at #/${name}.`);
  }
}

// show shows what the address says. The heading takes the focus where another view opens, so that reading starts there.
function show(first) {
  forget();
  const name = location.hash.split("/")[1] ?? "";
  const same = view !== null && view.name === name && name === "explore";
  view = {...viewOf(location.hash), name};
  const main = document.getElementById("main");
  const scroll = same ? window.scrollY : 0;
  main.replaceChildren(view.element);
  document.title = `${view.title} · modelcheck`;
  for (const item of document.querySelectorAll("nav a")) {
    if (item.dataset.view === name) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  view.begin?.();
  if (!first && !same) main.querySelector("h1")?.focus({preventScroll: true});
  window.scrollTo(0, scroll);
}

function header() {
  const findings = sortedFindings();
  const item = (href, name, ...text) => h("a", {href, "data-view": name}, ...text);
  return [
    h("strong.brand", {}, "modelcheck"),
    h("nav", {"aria-label": "Views"}, item("#/", "", "Summary"), findings.length > 0 && item(findingHref(findings[0], findings[0].example.steps.length), "finding", "Findings ", h("span.soft", {}, String(findings.length))),
      data.scenarios.length > 0 && item("#/explore", "explore", "Explore")),
    h("button", {type: "button", "aria-haspopup": "dialog", onclick: () => keys.showModal()}, "Keys"),
  ];
}

const keys = h("dialog", {"aria-labelledby": "keys-title"},
  h("h2", {id: "keys-title"}, "Keys"),
  h("dl.facts", {}, [["← →", "a step back or on, in a counterexample or on the way explored"], ["Home End", "the initial state, the end of a counterexample"],
    ["1 to 9", "take an action, when exploring"], ["?", "this list"]].map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
  h("form", {method: "dialog"}, h("button", {}, "Close")));

document.querySelector("header.top").append(...header().filter(Boolean));
document.querySelector("footer.bottom").append(h("p.soft", {}, data.live
  ? "Served by modelcheck: the model and kube-scheduler are asked about each state when it is reached."
  : `This file needs no network. It holds ${plural(data.states.length, "state")}${data.left > 0 ? `; from ${count(data.left)} of them on it does not go further, modelcheck serve does` : ""}.`));
document.body.append(keys);
document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
document.addEventListener("keydown", event => {
  if (event.defaultPrevented || typing(event)) return;
  if (event.key === "?") keys.showModal();
  else if (!view?.key?.(event)) return;
  event.preventDefault();
});
document.addEventListener("click", settle, {capture: true});
window.addEventListener("hashchange", () => show(false));
show(true);
