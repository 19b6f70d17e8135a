// The drawing of a cluster: nodes as boxes to the scale of what they have to allocate, pods in them as blocks to the scale of what they
// request, the pending pods beside them, and arrows for nominations.

// Scale is what a series of drawings has in common: which resources there are, the largest node, and the priorities.
class Scale {
  constructor(drawings = []) {
    this.priorities = [];
    this.resources = [];
    this.requested = new Set();
    this.largest = {};
    drawings.forEach(drawing => this.add(drawing));
  }

  add(drawing) {
    const pods = drawing.nodes.flatMap(node => node.pods).concat(drawing.pending);
    this.priorities = [...new Set(this.priorities.concat(pods.map(pod => pod.priority)))].sort((a, b) => a - b);
    for (const pod of pods) for (const amount of pod.requests ?? []) this.requested.add(amount.resource);
    for (const node of drawing.nodes) {
      for (const {resource, number} of node.capacity) {
        if (!this.resources.includes(resource)) this.resources.push(resource);
        this.largest[resource] = Math.max(this.largest[resource] ?? 0, number);
      }
    }
  }

  // choices are the resources to draw to scale.
  choices() { return this.resources.filter(resource => this.requested.has(resource)); }

  // shade gives the step of the colours of priorities, 0 to 5.
  shade(priority) {
    const last = this.priorities.length - 1;
    return last < 1 ? 1 : Math.round(this.priorities.indexOf(priority) * 5 / last);
  }
}

function amountOf(amounts, resource) { return amounts?.find(amount => amount.resource === resource)?.number ?? 0; }

// chosenResource is what the reader wants drawings to the scale of.
let chosenResource = null;

function scaleResource(scale) {
  const choices = scale.choices();
  return choices.includes(chosenResource) ? chosenResource : choices[0] ?? null;
}

// drawCluster draws a state. changed names a pod to point out; picked is the pod that is told about, pick is called for another one;
// redraw when another resource is chosen.
function drawCluster(drawing, scale, {changed = null, picked = null, pick, redraw}) {
  const resource = scaleResource(scale);
  const block = (pod, context = {}) => podBlock(pod, scale, {changed: pod.name === changed, picked: pod.name === picked, pick, ...context});
  const nodes = byName(drawing.nodes).map(node => nodeBox(node, drawing, scale, resource, block));
  const waiting = byName(drawing.pending).map(pod => h("li", {}, block(pod)));
  const arrows = svg("svg", {class: "arrows", "aria-hidden": "true"},
    svg("defs", {}, svg("marker", {id: "tip", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "7", markerHeight: "7", orient: "auto"},
      svg("path", {d: "M0 0 8 4 0 8Z"}))));
  const stage = h("div.stage", {},
    h("section.queue", {"aria-label": "Pending pods"},
      h("h3", {}, "Pending ", h("span.soft", {}, String(drawing.pending.length))),
      waiting.length ? h("ul.blocks", {}, waiting) : h("p.soft", {}, "No pod waits.")),
    h("div.nodes", {}, nodes),
    arrows);
  new ResizeObserver(() => drawArrows(stage, arrows)).observe(stage);
  return h("section.cluster", {"aria-label": "The cluster"},
    h("h2.unseen", {}, "The cluster"),
    h("div.legend", {},
      priorityLegend(scale),
      resource && h("label", {}, "to scale of ",
        h("select", {onchange: event => { chosenResource = event.target.value; redraw(); }},
          scale.choices().map(choice => h("option", {selected: choice === resource}, choice))))),
    stage,
    aboutPod(drawing, picked),
    drawing.notes && h("details.notes", {}, h("summary", {}, "Budgets, storage and other objects"), h("pre", {}, drawing.notes.join("\n"))));
}

function priorityLegend(scale) {
  return h("p.priorities", {}, "priority ", scale.priorities.map(priority => h(`span.key.shade${scale.shade(priority)}`, {}, String(priority))),
    h("span.key.changed", {}, "touched by the last step"));
}

function nodeBox(node, drawing, scale, resource, block) {
  const capacity = amountOf(node.capacity, resource);
  const pods = byName(node.pods), guests = byName(drawing.pending).filter(pod => pod.nominated === node.name);
  const used = node.pods.reduce((sum, pod) => sum + amountOf(pod.requests, resource), 0);
  const planned = guests.reduce((sum, pod) => sum + amountOf(pod.requests, resource), used);
  const whole = Math.max(capacity, planned) || 1;
  const share = pod => resource ? amountOf(pod.requests, resource) / whole : null;
  const width = resource && scale.largest[resource] ? Math.max(whole / scale.largest[resource], 0.12) : 1;
  const over = resource && used > capacity;
  return h("section.node", {"aria-label": `Node ${node.name}`, "data-node": node.name},
    h("h3", {}, node.name, " ", h("span.soft", {}, taken(node, resource))),
    h("div.scaled", {"--width": `${Math.min(width, 1.6) * 100}%`},
      h("ul", {class: ["box", "blocks", resource ? "" : "loose", over ? "over" : ""].join(" ")},
        pods.map(pod => h("li", {"--share": share(pod), class: share(pod) === 0 ? "nothing" : null}, block(pod, {on: node.name}))),
        guests.map(pod => h("li", {"--share": share(pod), class: share(pod) === 0 ? "nothing" : null},
          h("span.ghost", {"data-guest": pod.name, title: `${pod.name} is nominated to ${node.name}`, "aria-hidden": "true"}, shortName(pod.name))))),
      over && h("span.limit", {"--at": `${capacity / whole * 100}%`, title: "what the node has to allocate"})),
    over && h("p.alarm", {}, `Its pods request more ${resource} than it has.`),
    node.marks && h("ul.marks", {}, node.marks.map(mark => h("li", {}, mark))));
}

// taken says how much of the node its pods request.
function taken(node, resource) {
  const words = node.capacity.filter(({resource}) => resource !== "pods").map(({resource: name, text, number}) => {
    const sum = node.pods.reduce((all, pod) => all + amountOf(pod.requests, name), 0);
    return {name, words: `${name} ${amountText(sum, name)} of ${text}`, matters: sum > 0 || name === resource};
  });
  const pods = node.capacity.find(({resource}) => resource === "pods");
  return words.filter(word => word.matters).map(word => word.words).concat(pods ? [`pods ${node.pods.length} of ${pods.text}`] : []).join(" · ");
}

// amountText writes a sum as Kubernetes would.
function amountText(number, resource) {
  if (resource === "cpu" && number % 1 !== 0) return `${Math.round(number * 1000)}m`;
  for (const [unit, size] of [["Gi", 2 ** 30], ["Mi", 2 ** 20], ["Ki", 2 ** 10]]) if (number >= size && number % size === 0) return `${number / size}${unit}`;
  return count(number);
}

function podBlock(pod, scale, {changed, picked, pick, on}) {
  const leaving = pod.phase ? (pod.phase.startsWith("preempted") ? "evicted, terminating" : "terminating") : "";
  const where = on ? `on ${on}` : pod.nominated ? `pending, nominated to ${pod.nominated}` : "pending";
  const requests = (pod.requests ?? []).map(({resource, text}) => `${resource} ${text}`).join(", ") || "nothing";
  const label = [`Pod ${pod.name}`, where, `priority ${pod.priority}`, `requests ${requests}`, leaving].filter(Boolean).join(", ");
  return h("button", {
    type: "button", class: ["pod", `shade${scale.shade(pod.priority)}`, leaving ? "leaving" : "", changed ? "changed" : ""].join(" ").trim(),
    "aria-label": label, title: label, "aria-pressed": picked ? "true" : "false", "data-pod": pod.name, onclick: () => pick(pod.name),
  }, h("span.name", {}, shortName(pod.name)), h("span.detail", {}, leaving ? `✕ ${leaving}` : requestsLine(pod)));
}

function requestsLine(pod) { return [`p${pod.priority}`, ...(pod.requests ?? []).map(({resource, text}) => `${resource} ${text}`)].join(" · "); }

// aboutPod tells all there is to tell of the pod that is picked.
function aboutPod(drawing, picked) {
  const on = drawing.nodes.find(node => node.pods.some(pod => pod.name === picked));
  const pod = on?.pods.find(other => other.name === picked) ?? drawing.pending.find(other => other.name === picked);
  if (!pod) return h("p.about.soft", {}, "Choose a pod to read about it.");
  const words = [
    on ? `bound to ${on.name}` : "pending", pod.nominated && `nominated to ${pod.nominated}`, pod.phase, `priority ${pod.priority}`,
    "requests " + ((pod.requests ?? []).map(({resource, text}) => `${resource} ${text}`).join(", ") || "nothing"), ...(pod.traits ?? []),
  ].filter(Boolean);
  return h("div.about", {role: "group", "aria-label": `About ${pod.name}`}, h("strong", {}, pod.name), h("ul", {}, words.map(word => h("li", {}, word))));
}

// drawArrows draws an arrow from each nominated pod to its place on the node.
function drawArrows(stage, arrows) {
  const around = stage.getBoundingClientRect();
  arrows.setAttribute("viewBox", `0 0 ${around.width} ${around.height}`);
  arrows.querySelectorAll(":scope > path").forEach(path => path.remove());
  for (const guest of stage.querySelectorAll("[data-guest]")) {
    const pod = [...stage.querySelectorAll(".queue [data-pod]")].find(block => block.dataset.pod === guest.dataset.guest);
    if (!pod) continue;
    const from = pod.getBoundingClientRect(), to = guest.getBoundingClientRect();
    const beside = to.left > from.right;
    const start = beside ? [from.right, from.top + from.height / 2] : [from.left + from.width / 2, from.bottom];
    const end = [to.left + to.width / 2, to.top];
    const [x1, y1, x2, y2] = [start[0] - around.left, start[1] - around.top, end[0] - around.left, end[1] - around.top];
    const top = y2 - 36, middle = (y1 + y2) / 2;
    const way = beside ? `C${x1 + 24} ${y1} ${x1} ${top} ${x1 + 30} ${top}H${x2 - 10}Q${x2} ${top} ${x2} ${top + 10}V${y2}` : `C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
    arrows.append(svg("path", {d: `M${x1} ${y1}${way}`, "marker-end": "url(#tip)"}));
  }
}

