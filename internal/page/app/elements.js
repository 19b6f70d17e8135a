"use strict";

// What the page was given: the type Data in Go.
const data = await unpack(document.getElementById("data").textContent);

async function unpack(text) {
  try {
    const packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), character => character.charCodeAt(0));
    return await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  } catch (error) {
    document.getElementById("main").textContent = window.DecompressionStream ? `What this page holds is damaged: ${error.message}` : "This page needs a browser of 2023 or later.";
    throw error;
  }
}

// h makes an element. Children are elements, strings, or nothing; strings become text, never markup. Attributes that start with "on" are
// listeners; those that are null or false are left out.
function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  set(element, attributes);
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

// svg makes an element of a drawing.
function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

// table makes a table that scrolls by itself where it is too wide. A row is a list of cells; the first of each row is its header. A cell is
// what it holds, or {of, class} for one with a class. One with many rows scrolls as well, below its heads.
const tallest = 15;

function table(caption, heads, rows, classes = "") {
  const cell = (tag, value, scope) => {
    const plain = value === null || typeof value !== "object" || value instanceof Node || Array.isArray(value);
    const {of, class: extra} = plain ? {of: value} : value;
    const number = typeof of === "number";
    return h(tag, {scope, class: [number ? "number" : "", extra ?? ""].join(" ").trim() || null}, number ? count(of) : of);
  };
  const isNumber = value => typeof value === "number" || value?.class === "number";
  const numeric = column => rows.some(row => isNumber(row[column])) && rows.every(row => isNumber(row[column]) || row[column] === "");
  return h("div", {class: rows.length > tallest ? "scroll tall" : "scroll", role: "region", "aria-label": caption, tabindex: "0"},
    h("table", {class: classes || null},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, heads.map((head, i) => cell("th", head?.of ? head : {of: head, class: head === "" ? "rest" : numeric(i) ? "number" : ""}, "col")))),
      h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, cell("th", first, "row"), rest.map(value => cell("td", value)))))));
}

function count(n) { return n.toLocaleString("en-US"); }

function plural(n, noun) { return n === 1 ? `1 ${noun}` : `${count(n)} ${noun}s`; }

// byName puts nodes, pods and decisions about nodes into an order that does not change from state to state, node-2 before node-10.
const collator = new Intl.Collator("en", {numeric: true});

function byName(things) { return [...things].sort((a, b) => collator.compare(a.name, b.name)); }

// shortName leaves out the namespace of a pod if it is the default one.
function shortName(pod) { return pod.startsWith("default/") ? pod.slice("default/".length) : pod; }

// short writes a name that is shortened where there is no room for it, in its middle: the end, which tells the pods of a deployment and
// the nodes of a pool apart, stays. Names with dots are those of hosts, whose beginnings do.
function short(name) {
  const dash = name.lastIndexOf("-"), tail = name.length < 12 || name.includes(".") ? 0 : name.length - dash <= 10 ? name.length - dash : 5;
  return h("span.short", {}, h("span.start", {}, name.slice(0, name.length - tail)), tail > 0 && h("span.end", {}, name.slice(-tail)));
}

// several names things: all of them if they are few, and how many more there are.
function several(names, noun) {
  if (names.length <= 3) return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `${names.slice(0, 2).join(", ")} and ${plural(names.length - 2, `other ${noun}`)}`;
}

// link is one that leaves the page.
function link(address, ...text) { return h("a", {href: address, rel: "noreferrer"}, ...text); }

// announce tells those who do not see the page what has changed.
function announce(text) { document.getElementById("status").textContent = text; }

// remember puts what is shown into the address, without a new entry in the history. Browsers allow so many of these a minute, so
// one waits until stepping rests, or something is clicked; forget is called where the address has changed otherwise.
const address = {timer: 0, next: null};

function remember(href) {
  forget();
  address.next = href;
  address.timer = setTimeout(settle, 150);
}

function settle() {
  if (address.next !== null) history.replaceState(null, "", address.next);
  forget();
}

function forget() {
  clearTimeout(address.timer);
  address.next = null;
}

// typing reports whether a key is meant for the element that has the focus.
function typing(event) {
  return event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog, .scroll") !== null;
}

