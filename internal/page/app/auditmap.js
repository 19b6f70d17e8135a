// The map: a cell for each node, by zone, coloured by how much of a resource is requested. Cells are options of a list box, of which the keyboard
// reaches one and walks by arrows.

const audit = data.audit, nodes = audit.nodes, whatIf = audit.whatIf;

// resources are those that are requested somewhere.
const common = ["cpu", "memory", "pods"], requested = new Set(nodes.flatMap(node => Object.keys(node.utilisation).filter(name => node.utilisation[name] > 0)));
const resources = [...common, ...[...requested].filter(name => !common.includes(name)).sort()];

function rankOf(name) { return common.includes(name) ? common.indexOf(name) : common.length; }

// amount writes bytes, of which there may be many, in a unit.
function amount(resource, quantity) {
  if (!/memory|storage|hugepages/.test(resource) || !/^\d{7,}$/.test(quantity)) return quantity;
  return `${(quantity / 2 ** 30).toFixed(1)}Gi`;
}

function tally(names) {
  const all = new Map();
  for (const name of names) all.set(name, (all.get(name) ?? 0) + 1);
  return all;
}

// What happens on nodes in a what-if, by node.
const received = tally((whatIf?.placed ?? []).map(pod => pod.node)), drained = new Set(data.drained), evicted = tally((whatIf?.evicted ?? []).map(pod => pod.node));
const preempted = tally((whatIf?.evicted ?? []).filter(pod => pod.for).map(pod => pod.node)), copies = new Map(Object.entries(whatIf?.fill?.on ?? {})), added = new Set(whatIf?.added ?? []);

// marks are what a cell shows besides its colour. "of" is the number that is told of a node, or true.
const marks = [
  {key: "over", text: "overcommitted", of: node => node.overcommitted !== undefined},
  {key: "cordoned", text: "cordoned", of: node => node.unschedulable === true},
  {key: "closed", text: "closed to every pending pod", of: node => node.unreachable === true},
  {key: "broken", text: "no longer keeps a rule of a pod on it", of: node => node.broken !== undefined},
  {key: "added", text: "added", of: node => added.has(node.name)},
  {key: "drained", text: "drained", of: node => drained.has(node.name)},
  {key: "preempted", text: "loses pods to others", of: node => preempted.has(node.name)},
  {key: "received", text: "receives pods", of: node => received.has(node.name)},
  {key: "copies", text: "takes copies", of: node => copies.has(node.name)},
].map(mark => ({...mark, nodes: nodes.filter(mark.of)})).filter(mark => mark.nodes.length);

const steps = [[0, "0 %"], [25, "to 25 %"], [50, "to 50 %"], [75, "to 75 %"], [100, "to 100 %"], [Infinity, "over 100 %"]];

function shadeOf(node, resource) { return steps.findIndex(([most]) => (node.utilisation[resource] ?? 0) <= most); }

function percent(node, resource) { return node.utilisation[resource] === undefined ? "none" : `${node.utilisation[resource]} %`; }

function marksOf(node) { return marks.filter(mark => mark.of(node)).map(mark => mark.text); }

const map = {
  at: new Map(nodes.map((node, i) => [node.name, i])), resource: resources[0], chosen: null,
  detail: nodes.length <= 60 ? "large" : nodes.length <= 600 ? "middle" : "tiny",
};

map.cells = nodes.map((node, i) => h("div.cell", {role: "option", id: `n${i}`, tabindex: "-1", "aria-selected": "false", "data-node": i},
  map.detail === "large" && h("span.whose", {}, short(node.name)), map.detail !== "tiny" && h("span.much")));
map.box = h("div", {class: `map ${map.detail}`, role: "listbox", "aria-label": "Nodes, by zone. Arrow keys go from node to node."});
map.panel = h("aside.about-node", {"aria-label": "The chosen node"});
map.legend = h("ul.shades", {"aria-label": "Colours"});

// arrange puts the cells in order: by name, or the fullest first.
map.arrange = order => {
  const zones = Map.groupBy(nodes, node => node.zone ?? "");
  map.order = [];
  map.box.replaceChildren(...[...zones.keys()].sort(collator.compare).map(zone => {
    const some = zones.get(zone).toSorted((a, b) => (order === "fullest" ? (b.utilisation[map.resource] ?? 0) - (a.utilisation[map.resource] ?? 0) : 0) || collator.compare(a.name, b.name));
    const cells = some.map(node => map.cells[map.at.get(node.name)]);
    map.order.push(...cells);
    const name = zone === "" ? (zones.size === 1 ? "all nodes" : "no zone") : `zone ${zone}`;
    return h("div.zone", {role: "group", "aria-label": name}, h("p", {"aria-hidden": "true"}, `${name} `, h("span.soft", {}, plural(some.length, "node"))), h("div.cells", {role: "presentation"}, cells));
  }));
  map.reach(map.chosen === null ? map.order[0] : map.cells[map.chosen]);
};

// reach makes one cell that which the keyboard reaches.
map.reach = cell => {
  map.order.forEach(other => { if (other.tabIndex === 0) other.tabIndex = -1; });
  if (cell) cell.tabIndex = 0;
};

map.paint = resource => {
  map.resource = resource;
  const numbers = steps.map(() => 0);
  nodes.forEach((node, i) => {
    const cell = map.cells[i], shade = shadeOf(node, resource);
    numbers[shade]++;
    cell.className = ["cell", `shade${shade}`, ...marks.filter(mark => mark.of(node)).map(mark => mark.key), cell.classList.contains("lit") ? "lit" : ""].join(" ").trim();
    cell.setAttribute("aria-label", [node.name, `${resource} ${percent(node, resource)}`, plural(node.pods, "pod"), ...marksOf(node)].join(", "));
    const much = cell.querySelector(".much");
    if (much) much.textContent = map.detail === "large" ? percent(node, resource) : node.utilisation[resource] ?? "";
  });
  map.legend.replaceChildren(h("li", {}, `${resource} requested`), ...steps.map(([, text], i) => h("li", {}, h(`span.key.shade${i}`, {}, text), h("span.soft", {}, ` ${count(numbers[i])}`))));
};

// choose tells about a node, and with reach goes there.
map.choose = (i, reach) => {
  if (map.chosen !== null) map.cells[map.chosen].setAttribute("aria-selected", "false");
  map.chosen = i;
  map.cells[i].setAttribute("aria-selected", "true");
  map.reach(map.cells[i]);
  map.tell(i);
  if (!reach) return;
  map.cells[i].focus({preventScroll: true});
  map.cells[i].scrollIntoView({block: "center"});
};

// leave chooses no node. The keyboard stays where it was.
map.leave = () => {
  const cell = map.cells[map.chosen ?? map.told];
  cell.focus({preventScroll: true}); // which chooses it
  cell.setAttribute("aria-selected", "false");
  map.chosen = null;
  map.tell(null);
};

map.tell = i => {
  map.told = i;
  map.panel.classList.toggle("idle", i === null);
  if (i === null) return map.panel.replaceChildren(h("p.soft", {}, "Point at a node, tap it, or go there with Tab and the arrow keys."));
  const node = nodes[i], pods = data.pods[i], broken = (audit.bound?.broken ?? []).flatMap(rule => rule.pods.filter(pod => pod.node === node.name).map(pod => [rule.plugin, pod.pod]));
  const of = (known, text) => known.has(node.name) && `${text} ${plural(known.get(node.name), "pod")}`;
  const reason = filter.group() >= 0 ? filter.reasonAt(i) : null;
  const facts = [...marksOf(node), of(received, "receives"), of(evicted, "loses"), copies.has(node.name) && `takes ${plural(copies.get(node.name), "copy").replace("copys", "copies")}`].filter(Boolean);
  map.panel.replaceChildren(
    h("button.close", {type: "button", onclick: map.leave}, "Close"), h("h3", {}, node.name), h("p.soft", {}, [node.zone && `zone ${node.zone}`, plural(node.pods, "pod")].filter(Boolean).join(", ")),
    facts.length ? h("ul.marks", {}, facts.map(text => h("li", {}, text))) : "",
    reason ? h("p.note", {}, `It rejects ${filter.groupName()}: ${reason}`) : "",
    h("table", {}, h("thead", {}, h("tr", {}, ["resource", "requested", "has", ""].map((head, k) => h("th", {scope: "col", class: k ? "number" : null}, head)))),
      h("tbody", {}, Object.keys(node.allocatable).filter(name => node.allocatable[name] !== "0").sort((a, b) => rankOf(a) - rankOf(b) || collator.compare(a, b)).map(name => h("tr", {class: node.overcommitted?.includes(name) ? "differs" : null},
        h("th", {scope: "row"}, name), h("td.number", {}, amount(name, node.requested[name] ?? "0")), h("td.number", {}, amount(name, node.allocatable[name])), h("td.number", {}, percent(node, name)))))),
    broken.length ? h("div", {}, h("h4", {}, "Rules that it no longer keeps"), h("ul", {}, broken.map(([plugin, pod]) => h("li", {}, `${plugin}: ${pod}`)))) : "",
    pods.length ? h("details", {}, h("summary", {}, plural(pods.length, "pod")), h("ul", {}, pods.map(pod => h("li", {}, pod)))) : "");
};

// beside finds the cell above (-1) or below (1) one.
map.beside = (cell, way) => {
  let row = null, found = null;
  for (let k = map.order.indexOf(cell) + way; k >= 0 && k < map.order.length; k += way) {
    const next = map.order[k];
    if (next.offsetTop === cell.offsetTop) continue;
    row ??= next.offsetTop;
    if (next.offsetTop !== row) break;
    if (found === null || Math.abs(next.offsetLeft - cell.offsetLeft) <= Math.abs(found.offsetLeft - cell.offsetLeft)) found = next;
  }
  return found;
};

map.box.addEventListener("keydown", event => {
  const cell = event.target.closest(".cell"), k = map.order.indexOf(cell);
  const next = {ArrowLeft: () => map.order[k - 1], ArrowRight: () => map.order[k + 1], ArrowUp: () => map.beside(cell, -1), ArrowDown: () => map.beside(cell, 1), Home: () => map.order[0], End: () => map.order.at(-1)}[event.key]?.();
  if (!cell || !next) return;
  event.preventDefault();
  next.focus();
});
map.box.addEventListener("focusin", event => map.choose(Number(event.target.closest(".cell").dataset.node)));
map.box.addEventListener("click", event => { const cell = event.target.closest(".cell"); if (cell) map.choose(Number(cell.dataset.node), false); });
// Moves of the pointer, not of what is below it: who is led here by a link hears about the node that it names.
map.box.addEventListener("pointermove", event => {
  const cell = event.target.closest(".cell"), i = cell && event.pointerType === "mouse" ? Number(cell.dataset.node) : map.told;
  if (i !== map.told) map.tell(i);
});
map.box.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") map.tell(map.chosen); });
