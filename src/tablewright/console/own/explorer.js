// Forms that run something and are replaced by themselves with what came of it.
"use strict";
(() => {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const form = event.target instanceof Element ? event.target.closest("form[data-run]") : null;
    if (!form) return;
    event.preventDefault();
    form.requestSubmit();
  });

  // Who types goes on typing; who pressed a button is led to what came of it. Both are told.
  document.addEventListener("htmx:afterSettle", (event) => {
    const part = event.target instanceof Element ? document.querySelector("[data-run-part]") : null;
    if (!part || !(part === event.target || part.contains(event.target) || event.target.contains(part)))
      return;
    const wrong = part.querySelector("[aria-invalid=true]");
    const outcome = part.querySelector("[data-said]");
    const said = document.getElementById("run-said");
    if (said) said.textContent = wrong ? "" : (outcome?.dataset.said ?? "");
    if (wrong) return wrong.focus();
    const typing = document.activeElement?.closest("input, textarea, select");
    if (outcome && !typing) outcome.focus();
  });
})();
