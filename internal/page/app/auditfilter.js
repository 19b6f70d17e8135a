// What lights nodes up: a reason of a group of pending pods, a rule that is broken, a mark, a part of the name.

const groups = whatIf ? whatIf.pending : audit.pending;
const rules = audit.bound?.broken ?? [];

function groupTitle(group) { return group.pods.length === 1 ? shortName(group.pods[0]) : `${shortName(group.pods[0])} and ${count(group.pods.length - 1)} alike`; }

// becomes says what becomes of a pod.
function becomes(decision) {
  switch (decision.outcome) {
  case "bind": return `goes to ${decision.node}${decision.equals ? `, or one of ${count(decision.equals - 1)} as good` : ""}`;
  case "preempt": return `evicts ${several(decision.victims, "pod")} on ${decision.node}`;
  case "none": return `no decision: ${decision.failure}`;
  default: return `waits: ${mainReason(decision)}`;
  }
}

function mainReason(decision) {
  const [first, ...more] = decision.reasons ?? [];
  if (!first) return decision.message || "no node is feasible";
  return `${count(first.nodes)} of ${plural(nodes.length, "node")}: ${first.text}${more.length ? ` (and ${plural(more.length, "more reason")})` : ""}`;
}

const filter = {
  what: "", reason: 0, name: "",
  show: h("select", {id: "filter-what"}), why: h("select", {id: "filter-reason"}), search: h("input", {id: "filter-name", type: "search", placeholder: "a part of the name", autocomplete: "off", spellcheck: "false"}),
  count: h("p.lit-count", {role: "status"}),
};

const optionOf = (value, text) => h("option", {value}, text);
filter.show.append(...[
  optionOf("", "all nodes"),
  marks.length > 0 && h("optgroup", {label: "Nodes"}, marks.map(mark => optionOf(`mark-${mark.key}`, `${mark.text} (${count(mark.nodes.length)})`))),
  groups.length > 0 && h("optgroup", {label: "Pending pods"}, groups.map((group, g) => optionOf(`group-${g}`, `${groupTitle(group)}: ${group.decision.outcome}`))),
  rules.length > 0 && h("optgroup", {label: "Broken rules"}, rules.map((rule, r) => optionOf(`rule-${r}`, `${rule.plugin} (${plural(rule.pods.length, "pod")})`))),
].filter(Boolean));

// group is the index of the group of pods whose reasons are shown; -1 if none are.
filter.group = () => filter.what.startsWith("group-") ? Number(filter.what.slice(6)) : -1;
filter.groupName = () => groupTitle(groups[filter.group()]);

// reasonAt is why a node rejects these pods, in kube-scheduler's words.
filter.reasonAt = i => {
  const at = data.reasons[filter.group()]?.[i] ?? -1;
  return at < 0 ? null : groups[filter.group()].decision.reasons[at].text;
};

// lights returns the test that the chosen nodes pass, and says in words what they have in common.
filter.lights = () => {
  const [sort, key] = [filter.what.slice(0, filter.what.indexOf("-")), filter.what.slice(filter.what.indexOf("-") + 1)];
  switch (sort) {
  case "mark": { const mark = marks.find(other => other.key === key); return [i => mark.of(nodes[i]), mark.text]; }
  case "rule": { const on = new Set(rules[key].pods.map(pod => pod.node)); return [i => on.has(nodes[i].name), `${rules[key].plugin} is broken`]; }
  case "group": {
    const {decision} = groups[key], of = data.reasons[key];
    if (decision.reasons && of) return [i => of[i] === filter.reason, `${groupTitle(groups[key])}: ${decision.reasons[filter.reason].text}`];
    return [i => nodes[i].name === decision.node, `${groupTitle(groups[key])} ${becomes(decision)}`];
  }
  default: return [() => true, ""];
  }
};

filter.apply = () => {
  const [test, words] = filter.lights(), name = filter.name.toLowerCase(), on = words !== "" || name !== "";
  let lit = 0;
  nodes.forEach((node, i) => {
    const is = on && test(i) && node.name.toLowerCase().includes(name);
    if (is) lit++;
    map.cells[i].classList.toggle("lit", is);
  });
  map.box.classList.toggle("filtered", on);
  filter.count.textContent = on ? `${count(lit)} of ${plural(nodes.length, "node")}${[words, name && `named …${filter.name}…`].filter(Boolean).map(text => `; ${text}`).join("")}` : plural(nodes.length, "node");
  filter.count.classList.toggle("soft", !on);
  document.querySelectorAll("[data-filter]").forEach(button => button.setAttribute("aria-pressed", String(button.dataset.filter === filter.what)));
  map.tell(map.chosen);
};

// set chooses what is lit; with look it is brought into the window.
filter.set = (what, reason = 0, look = false) => {
  filter.what = filter.show.value = what;
  filter.reason = reason;
  const reasons = (filter.group() >= 0 && data.reasons[filter.group()] && groups[filter.group()].decision.reasons) || [];
  filter.why.replaceChildren(...(reasons.length ? reasons.map((r, k) => optionOf(k, `${plural(r.nodes, "node")}: ${r.text}`)) : [optionOf("", "—")]));
  filter.why.disabled = reasons.length === 0;
  if (reasons.length) filter.why.value = reason;
  filter.apply();
  if (look) document.getElementById("map").scrollIntoView();
};

filter.show.addEventListener("change", () => filter.set(filter.show.value));
filter.why.addEventListener("change", () => filter.set(filter.what, Number(filter.why.value)));
filter.search.addEventListener("input", () => { filter.name = filter.search.value.trim(); filter.apply(); });
filter.search.addEventListener("keydown", event => {
  if (event.key !== "Enter") return;
  const first = map.order.find(cell => cell.classList.contains("lit"));
  if (first && filter.name) map.choose(Number(first.dataset.node), true);
});

// lighter is a button that lights nodes up.
function lighter(what, ...text) { return h("button.link", {type: "button", "data-filter": what, "aria-pressed": "false", onclick: () => filter.set(what, 0, true)}, ...text); }
