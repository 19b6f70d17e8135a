// Tables that are sorted by a click on a head, and long ones cut. A column is {head, of, by}: what a cell holds, and what rows are sorted by; without
// by it is what the cell holds.
const shownRows = 12;

function sheet(id, caption, columns, rows) {
  if (!rows.length) return null;
  let by = null, down = false, whole = false;
  const keyOf = (column, row) => (column.by ?? column.of)(row);
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  const sorted = () => by === null ? rows : rows.toSorted((a, b) => (down ? -1 : 1) * compare(keyOf(by, a), keyOf(by, b)));
  const numeric = column => typeof keyOf(column, rows[0]) === "number";
  const body = h("tbody"), rest = h("button", {type: "button", onclick: () => { whole = true; fill(); body.rows[shownRows].querySelector("th").focus(); }});
  const fill = () => {
    const all = sorted();
    body.replaceChildren(...all.slice(0, whole ? all.length : shownRows).map(row => h("tr", {}, columns.map((column, i) => {
      const value = column.of(row);
      return h(i ? "td" : "th", {scope: i ? null : "row", tabindex: i ? null : "-1", class: numeric(column) ? "number" : column.wide ? "prose" : null}, typeof value === "number" ? count(value) : value);
    }))));
    rest.hidden = whole || all.length <= shownRows;
    rest.textContent = `Show all ${count(all.length)}`;
  };
  const heads = columns.map(column => h("th", {scope: "col", class: numeric(column) ? "number" : null, "aria-sort": "none"},
    h("button.sort", {type: "button", onclick: () => {
      down = by === column ? !down : numeric(column);
      by = column;
      heads.forEach((head, i) => head.setAttribute("aria-sort", columns[i] === by ? (down ? "descending" : "ascending") : "none"));
      fill();
    }}, column.head)));
  fill();
  return h("section.sheet", {id}, h("div.scroll", {role: "region", "aria-label": caption, tabindex: "0"},
    h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body)), rest);
}

// nodeLink shows a node on the map.
function nodeLink(name) {
  return name && map.at.has(name) ? h("button.link", {type: "button", onclick: () => map.choose(map.at.get(name), true)}, name) : name ?? "";
}
