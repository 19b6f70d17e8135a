// A node as a box to the scale of what it has to allocate, the pods on it as blocks to the scale of what they request, and all there is to
// tell of a node or pod that is picked.

// mostInRow is how many pods surely fit beside each other, by how large nodes are drawn. More take as many rows as they need.
const mostInRow = {few: 15, some: 5, many: 3};

function nodeBox(node, drawing, scale, {resource, block, size, picked, pick}) {
  const capacity = amountOf(node.capacity, resource);
  const pods = byName(node.pods), guests = byName(drawing.pending).filter(pod => pod.nominated === node.name);
  const used = node.pods.reduce((sum, pod) => sum + amountOf(pod.requests, resource), 0);
  const planned = guests.reduce((sum, pod) => sum + amountOf(pod.requests, resource), used);
  const whole = Math.max(capacity, planned) || 1;
  const share = pod => resource ? amountOf(pod.requests, resource) / whole : null;
  const width = resource && scale.largest[resource] ? Math.max(whole / scale.largest[resource], 0.12) : 1;
  const over = resource && used > capacity;
  const words = taken(node, resource), rows = pods.length + guests.length > mostInRow[size];
  const label = `Node ${node.name}, ${words.join(", ")}`;
  return h("section.node", {"aria-label": `Node ${node.name}`, "data-node": node.name},
    h("h3", {}, h("button.whose", {type: "button", "aria-label": label, title: label, "aria-pressed": String(picked), "data-about": node.name, onclick: () => pick(node.name)}, short(node.name)),
      size !== "many" && h("span.soft", {}, (size === "few" ? words : words.slice(0, 1)).join(" · "))),
    h("div.scaled", {"--width": `${Math.min(width, 1.6) * 100}%`},
      h("ul", {class: ["box", "blocks", resource ? "" : "loose", rows ? "rows" : "", over ? "over" : ""].filter(Boolean).join(" ")},
        pods.map(pod => h("li", {"--share": share(pod), class: share(pod) === 0 ? "nothing" : null}, block(pod, {on: node.name}))),
        guests.map(pod => h("li", {"--share": share(pod), class: share(pod) === 0 ? "nothing" : null},
          h("span.ghost", {"data-guest": pod.name, title: `${pod.name} is nominated to ${node.name}`, "aria-hidden": "true"}, short(shortName(pod.name)))))),
      over && h("span.limit", {"--at": `${capacity / whole * 100}%`, title: "what the node has to allocate"})),
    over && size !== "many" && h("p.alarm", {}, `Its pods request more ${resource} than it has.`),
    node.marks && size !== "many" && h("ul.marks", {}, node.marks.map(mark => h("li", {}, mark))));
}

// taken says how much of the node its pods request, of the resource that is drawn first.
function taken(node, resource) {
  const words = node.capacity.filter(({resource}) => resource !== "pods").map(({resource: name, text, number}) => {
    const sum = node.pods.reduce((all, pod) => all + amountOf(pod.requests, name), 0);
    return {name, words: `${name} ${amountText(sum, name)} of ${text}`, matters: sum > 0 || name === resource};
  });
  const pods = node.capacity.find(({resource}) => resource === "pods");
  return words.filter(word => word.matters).sort((a, b) => (b.name === resource) - (a.name === resource)).map(word => word.words)
    .concat(pods ? [`pods ${node.pods.length} of ${pods.text}`] : [`pods ${node.pods.length}`]);
}

// amountText writes a sum as Kubernetes would.
function amountText(number, resource) {
  if (resource === "cpu" && number % 1 !== 0) return `${Math.round(number * 1000)}m`;
  for (const [unit, size] of [["Gi", 2 ** 30], ["Mi", 2 ** 20], ["Ki", 2 ** 10]]) if (number >= size && number % size === 0) return `${number / size}${unit}`;
  return count(number);
}

// aboutPicked tells all there is to tell of the pod or node that is picked.
function aboutPicked(drawing, picked) {
  const node = drawing.nodes.find(other => other.name === picked);
  if (node) {
    const guests = drawing.pending.filter(pod => pod.nominated === picked).map(pod => `${pod.name} is nominated to it`);
    return about(node.name, [...taken(node, null), ...(node.marks ?? []), ...byName(node.pods).map(pod => `pod ${pod.name}`), ...guests]);
  }
  const on = drawing.nodes.find(other => other.pods.some(pod => pod.name === picked));
  const pod = on?.pods.find(other => other.name === picked) ?? drawing.pending.find(other => other.name === picked);
  if (!pod) return h("p.about.soft", {tabindex: "-1"}, "Choose a pod or a node to read about it.");
  return about(pod.name, [
    on ? `bound to ${on.name}` : "pending", pod.nominated && `nominated to ${pod.nominated}`, pod.phase, `priority ${pod.priority}`,
    "requests " + ((pod.requests ?? []).map(({resource, text}) => `${resource} ${text}`).join(", ") || "nothing"), ...(pod.traits ?? []),
  ].filter(Boolean));
}

function about(name, words) {
  return h("div.about.told", {role: "group", tabindex: "-1", "aria-label": `About ${name}`}, h("strong", {}, name), h("ul", {}, words.map(word => h("li", {}, word))));
}

