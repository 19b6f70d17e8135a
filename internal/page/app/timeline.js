// The timeline of a trace: buttons, a slider, and the list of steps. show(i) is called for the state to show: 0 is the initial one.

class Timeline {
  constructor(stages, loop, href, show) {
    this.last = stages.length - 1;
    this.stages = stages;
    this.show = show;
    const button = (sign, label, to) => h("button", {type: "button", "aria-label": label, title: label, onclick: () => this.go(to())}, sign);
    this.slider = h("input", {type: "range", min: "0", max: String(this.last), "aria-label": "Step", oninput: () => this.go(Number(this.slider.value))});
    this.where = h("output", {});
    this.back = [button("|◀", "To the initial state (Home)", () => 0), button("◀", "One step back (left arrow)", () => this.at - 1)];
    this.on = [button("▶", "One step on (right arrow)", () => this.at + 1), button("▶|", "To the end (End)", () => this.last)];
    this.controls = h("div.controls", {role: "group", "aria-label": "Steps"}, this.back, this.slider, this.on, this.where);
    const item = (i, text, by) => h("li", {class: loop && i > this.last - loop ? "loop" : null},
      h("a", {href: href(i), onclick: event => { event.preventDefault(); this.go(i); }}, h("span.ordinal", {}, String(i)), h("span", {}, text, by)));
    this.items = [item(0, "the initial state"), ...stages.slice(0, -1).map((stage, i) => item(i + 1, stage.step.text, takers(stage.step)))];
    this.list = h("ol.steps", {"aria-label": "Steps of the counterexample"}, this.items);
    this.repeats = loop > 0 && h("p.soft", {}, loop === 1 ? `Step ${this.last} goes on for ever.` : `Steps ${this.last - loop + 1} to ${this.last} go on for ever.`);
  }

  // text says what led to a state.
  text(i) { return i === 0 ? "the initial state" : this.stages[i - 1].step.text; }

  go(i) {
    const to = Math.max(0, Math.min(i, this.last));
    if (to === this.at) return;
    this.items[this.at]?.firstChild.removeAttribute("aria-current");
    this.at = to;
    this.items[to].firstChild.setAttribute("aria-current", "step");
    this.keepInView(this.items[to]);
    this.slider.value = String(to);
    this.slider.setAttribute("aria-valuetext", `${to} of ${this.last}: ${this.text(to)}`);
    this.where.textContent = `${to} / ${this.last}`;
    this.back.forEach(button => button.setAttribute("aria-disabled", String(to === 0)));
    this.on.forEach(button => button.setAttribute("aria-disabled", String(to === this.last)));
    this.show(to);
  }

  // keepInView scrolls the list, not the page.
  keepInView(item) {
    const top = item.offsetTop - this.list.offsetTop, bottom = top + item.offsetHeight;
    if (top < this.list.scrollTop) this.list.scrollTop = top;
    else if (bottom > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = bottom - this.list.clientHeight;
  }

  key(event) {
    const to = {ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.last}[event.key];
    if (to === undefined) return false;
    this.go(to);
    return true;
  }
}

// takers says who may take a step, if not both may.
function takers(step) {
  if (!step.by || step.by.length === 2) return null;
  return h("span.by", {}, step.by.length ? `only ${step.by[0] === "model" ? "the model" : step.by[0]}` : "nobody");
}

