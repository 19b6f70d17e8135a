// The whole name, of a pod or node whose name is shortened, where the keyboard is. The pointer has it of the title, and a screen reader of
// the label.

const tip = h("div.tip", {hidden: true, "aria-hidden": "true"});

function showTip(button) {
  tip.textContent = button.title;
  tip.hidden = false;
  const of = button.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const above = of.top - own.height - 6;
  tip.style.setProperty("--x", `${Math.max(8, Math.min(of.left, innerWidth - own.width - 8))}px`);
  tip.style.setProperty("--y", `${above < 4 ? of.bottom + 6 : above}px`);
}

function hideTip() { tip.hidden = true; }

document.body.append(tip);
document.addEventListener("focusin", event => {
  const button = event.target.closest(".cluster button[title]");
  if (button?.matches(":focus-visible")) showTip(button);
  else hideTip();
});
document.addEventListener("focusout", hideTip);
document.addEventListener("scroll", () => { if (!tip.hidden && document.activeElement.title) showTip(document.activeElement); else hideTip(); }, {capture: true, passive: true});
document.addEventListener("keydown", event => { if (event.key === "Escape") hideTip(); });

