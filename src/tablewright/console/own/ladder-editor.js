// The editor of a ladder: a number beside each line, a mark at those with a fault, and a way from a
// fault to its line. The text itself stays in a <textarea>; without this all of it works as well.
"use strict";
(() => {
  const box = document.querySelector("[data-ladder-text]");
  const gutter = document.querySelector("[data-ladder-lines]");
  const findings = document.getElementById("findings");
  if (!box || !gutter || !findings) return;
  gutter.hidden = false;

  const number = () => {
    const wanted = box.value.split("\n").length;
    while (gutter.childElementCount > wanted) gutter.lastElementChild.remove();
    const more = document.createDocumentFragment();
    for (let line = gutter.childElementCount + 1; line <= wanted; line += 1) {
      const sign = document.createElement("span");
      sign.textContent = line;
      more.append(sign);
    }
    gutter.append(more);
    follow();
  };
  const follow = () => {
    gutter.scrollTop = box.scrollTop;
  };
  const mark = () => {
    const wrong = new Set(
      [...findings.querySelectorAll("[data-line]")].map((each) => Number(each.dataset.line)),
    );
    for (const [index, sign] of [...gutter.children].entries())
      sign.classList.toggle("is-wrong", wrong.has(index + 1));
  };
  const go = (line) => {
    const lines = box.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    box.focus();
    box.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    const height = parseFloat(getComputedStyle(box).lineHeight) || 21;
    box.scrollTop = Math.max(0, (line - 5) * height);
    follow();
  };

  let saved = box.value;
  box.addEventListener("input", number);
  box.addEventListener("scroll", follow);
  new ResizeObserver(follow).observe(box);
  document.addEventListener("htmx:afterSettle", (event) => event.target === findings && mark());
  findings.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (link) go(Number(link.dataset.line));
  });
  box.form.addEventListener("submit", () => {
    saved = box.value;
  });
  addEventListener("beforeunload", (event) => {
    if (box.value !== saved) event.preventDefault();
  });
  number();
  mark();
})();
