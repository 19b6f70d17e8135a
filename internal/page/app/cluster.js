// The drawing of a cluster: the pending pods, the nodes beside them, and arrows for nominations.

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

  // shade returns the step of the colours of priorities, 0 to 5.
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

// A crowd is more nodes than are drawn so large that their pods can be read. Of a crowd only those are that something happens on.
const crowd = 12;

// nodesOf names the nodes that steps, nominations and pods that terminate are about, and those about which a decision differs.
function nodesOf(steps, drawings, decision = null) {
  const names = new Set(steps.map(step => step.node).filter(Boolean));
  for (const drawing of drawings) {
    for (const pod of drawing.pending) if (pod.nominated) names.add(pod.nominated);
    for (const node of drawing.nodes) if (node.pods.some(pod => pod.phase)) names.add(node.name);
  }
  for (const node of decision?.nodes ?? []) if (names.size < crowd && node.statuses.some(status => status.model)) names.add(node.name);
  for (const outcome of decision?.outcomes ?? []) if (names.size < crowd && outcome.node && outcome.production !== outcome.documented) names.add(outcome.node);
  return new Set([...names].slice(0, crowd));
}

// drawCluster draws a state. changed names a pod to point out; picked is the pod or node that is told about, pick is called for another
// one; apart names the nodes to draw large if there are many; redraw is called when another resource is chosen.
function drawCluster(drawing, scale, {changed = null, picked = null, apart = new Set(), pick, redraw}) {
  const resource = scaleResource(scale), all = byName(drawing.nodes), many = all.length > crowd;
  const block = (pod, context = {}) => podBlock(pod, scale, {changed: pod.name === changed, picked: pod.name === picked, pick, ...context});
  const boxes = (nodes, size) => h(`div.nodes.${size}`, {}, nodes.map(node => nodeBox(node, drawing, scale, {resource, block, size, picked: node.name === picked, pick})));
  const large = many ? all.filter(node => apart.has(node.name)) : all, small = many ? all.filter(node => !apart.has(node.name)) : [];
  const waiting = byName(drawing.pending).map(pod => h("li", {}, block(pod)));
  const arrows = svg("svg", {class: "arrows", "aria-hidden": "true"},
    svg("defs", {}, svg("marker", {id: "tip", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "10", markerHeight: "10", markerUnits: "userSpaceOnUse", orient: "auto"},
      svg("path", {d: "M0 0 8 4 0 8Z"}))));
  const about = aboutPicked(drawing, picked);
  const stage = h("div.stage", {},
    h("section.queue", {"aria-label": "Pending pods"},
      h("h3", {}, "Pending ", h("span.soft", {}, String(drawing.pending.length))),
      waiting.length ? h("ul.blocks", {}, waiting) : h("p.soft", {}, "No pod is pending.")),
    h("div.placed", {},
      many && h("button.skip-cluster", {type: "button", onclick: () => about.focus()}, `Skip ${plural(all.length, "node")}`),
      large.length > 0 && boxes(large, large.length <= 3 ? "few" : "some")),
    small.length > 0 && h("div.others", {}, h("h3.rest", {}, large.length ? `${plural(small.length, "other node")}` : plural(small.length, "node"), h("span.soft", {}, " choose one to read about it")), boxes(small, "many")),
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
    about,
    drawing.notes && h("details.notes", {}, h("summary", {}, "Budgets, storage and other objects"), h("pre", {}, drawing.notes.join("\n"))));
}

function priorityLegend(scale) {
  return h("p.priorities", {}, "priority ", scale.priorities.map(priority => h(`span.key.shade${scale.shade(priority)}`, {}, String(priority))),
    h("span.key.changed", {}, "touched by the last step"));
}

function podBlock(pod, scale, {changed, picked, pick, on}) {
  const leaving = pod.phase ? (pod.phase.startsWith("preempted") ? "evicted, terminating" : "terminating") : "";
  const where = on ? `on ${on}` : pod.nominated ? `pending, nominated to ${pod.nominated}` : "pending";
  const requests = (pod.requests ?? []).map(({resource, text}) => `${resource} ${text}`).join(", ") || "nothing";
  const label = [`Pod ${pod.name}`, where, `priority ${pod.priority}`, `requests ${requests}`, leaving].filter(Boolean).join(", ");
  return h("button", {
    type: "button", class: ["pod", `shade${scale.shade(pod.priority)}`, leaving ? "leaving" : "", changed ? "changed" : ""].join(" ").trim(),
    "aria-label": label, title: label, "aria-pressed": picked ? "true" : "false", "data-pod": pod.name, onclick: () => pick(pod.name),
  }, h("span.name", {}, short(shortName(pod.name))), h("span.detail", {}, leaving ? `✕ ${leaving}` : requestsLine(pod)));
}

function requestsLine(pod) { return [`p${pod.priority}`, ...(pod.requests ?? []).map(({resource, text}) => `${resource} ${text}`)].join(" · "); }

// drawArrows draws an arrow from each nominated pod to the room on the node that is held for it.
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
    const top = y2 - 12, middle = (y1 + y2) / 2;
    const way = beside ? `C${x1 + 24} ${y1} ${x1} ${top} ${x1 + 30} ${top}H${x2 - 5}Q${x2} ${top} ${x2} ${top + 5}V${y2}` : `C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
    arrows.append(svg("path", {d: `M${x1} ${y1}${way}`, "marker-end": "url(#tip)"}));
  }
}

