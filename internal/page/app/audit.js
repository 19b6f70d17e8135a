// The page of an audit, put together.

function verdictWords() {
  if (audit.verdict === "violated") return "kube-scheduler decided otherwise than documented";
  if (audit.verdict !== "holds") return audit.stopped ? `not finished: interrupted while ${audit.stopped}` : "not finished; what was asked holds";
  return audit.findings.length ? "kube-scheduler decides as documented, but for what is known or by design" : "kube-scheduler decides as documented";
}

function figures() {
  const pods = outcome => groups.filter(group => group.decision.outcome === outcome).reduce((sum, group) => sum + group.pods.length, 0);
  const tile = (name, number) => h("div", {}, h("dt", {}, name), h("dd", {}, count(number)));
  return h("dl.tiles", {}, tile("nodes", nodes.length), tile("pods", audit.pods), whatIf
    ? [tile("evicted", whatIf.evicted.length), tile("placed", whatIf.placed.length), tile("still wait", groups.reduce((sum, group) => sum + group.pods.length, 0))]
    : [tile("pending: placed", pods("bind")), tile("pending: evict others", pods("preempt")), tile("pending: wait", pods("wait") + pods("none"))],
  tile("decisions compared", audit.decisions));
}

function mapView() {
  const pick = (id, name, control) => h("label", {for: id}, name, control);
  const colour = h("select", {id: "map-resource", onchange: () => { map.paint(colour.value); map.arrange(order.value); }}, resources.map(name => h("option", {value: name}, name)));
  const order = h("select", {id: "map-order", onchange: () => map.arrange(order.value)}, h("option", {value: "name"}, "name"), h("option", {value: "fullest"}, "fullest first"));
  filter.show.classList.add("long");
  filter.why.classList.add("long");
  return h("section", {id: "map", "aria-labelledby": "map-title"}, h("h2", {id: "map-title"}, whatIf ? "Nodes, afterwards" : "Nodes"),
    h("div.pickers", {}, pick("map-resource", "Colour", colour), pick("map-order", "Order", order), pick("filter-what", "Light up", filter.show), pick("filter-reason", "Reason", filter.why), pick("filter-name", "Name", filter.search)),
    map.legend, marks.length > 0 && h("ul.shades", {"aria-label": "Marks"}, marks.map(mark => h("li", {}, h("button.mark", {type: "button", "data-filter": `mark-${mark.key}`, "aria-pressed": "false",
      onclick: () => filter.set(filter.what === `mark-${mark.key}` ? "" : `mark-${mark.key}`)}, h(`span.cell.sample.shade1.${mark.key}`, {"aria-hidden": "true"}), `${mark.text} `, h("span.soft", {}, count(mark.nodes.length)))))),
    filter.count, h("div.split", {}, map.box, map.panel));
}

document.title = `${whatIf ? "What if" : "Audit"} · modelcheck`;
document.querySelector("header.top").append(h("strong.brand", {}, "modelcheck"), h("span.soft", {}, `kube-scheduler ${audit.kubernetesVersion}, profile ${audit.profile}, reading “${audit.reading}”`));
document.querySelector("footer.bottom").append(h("p.soft", {}, `This file needs no network. ${whatIf ? "The map and the tables of nodes are of the cluster afterwards; the steps are in the text and the JSON of the audit." : ""}`));
document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
document.getElementById("main").replaceChildren(h("article", {},
  h("h1", {tabindex: "-1", class: audit.verdict === "violated" ? "verdict-violated" : audit.verdict !== "holds" ? "verdict-not-finished" : null}, `${plural(nodes.length, "node")}, ${plural(audit.pods, "pod")}: ${verdictWords()}`),
  [...audit.notRead ?? [], ...audit.notes, ...data.extenders.map(url => `The extender ${url} is not asked, and may decide otherwise.`), ...audit.unmodelled.map(name => `${name} had a say, and is not modelled.`)].map(note => h("p.note", {}, note)),
  figures(), changes() ?? "", first(), mapView(), lists().filter(Boolean)));
map.paint(map.resource);
map.arrange("name");
filter.set("");
