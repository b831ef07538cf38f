// The plan's sliders: each moves the figure beside it, on a scale of factors. The figures are sent.
"use strict";
(() => {
  const STEPS = 100;
  const scale = (control) => {
    const { low, high, declared } = control.dataset;
    const zero = "zero" in control.dataset;
    return { low: Number(low), high: Number(high), declared, zero, first: zero ? 1 : 0 };
  };
  const position = (value, { low, high, zero, first }) => {
    if (zero && value <= 0) return 0;
    const within = Math.max(low, Math.min(high, value));
    return first + Math.round((Math.log(within / low) / Math.log(high / low)) * (STEPS - first));
  };
  // Two figures are enough for what is only tried; the declared value is met exactly.
  const value = (step, known) => {
    const { low, high, declared, zero, first } = known;
    if (declared !== "" && step === position(Number(declared), known)) return declared;
    if (zero && step === 0) return "0";
    const exact = low * (high / low) ** ((step - first) / (STEPS - first));
    return String(Number(exact.toPrecision(2)));
  };
  const parts = (control) => ({
    slider: control.querySelector("[data-slider]"),
    figure: control.querySelector("input[type=number]"),
    was: control.querySelector("[data-was]"),
    unit: control.querySelector(".control-figure > span"),
  });
  const tell = (control) => {
    const { slider, figure, was, unit } = parts(control);
    const said = unit.firstChild.textContent.trim();
    slider.setAttribute("aria-valuetext", `${figure.value || "not set"} ${said}`);
    const changed = figure.value !== control.dataset.declared;
    control.classList.toggle("is-changed", changed);
    was.hidden = !changed || !control.dataset.declared;
  };
  document.addEventListener("input", (event) => {
    const form = event.target.closest?.("form[data-plan]");
    if (!form) return;
    const control = event.target.closest("[data-control]");
    if (control) {
      const { slider, figure } = parts(control);
      if (event.target === slider) figure.value = value(Number(slider.value), scale(control));
      else slider.value = position(Number(figure.value), scale(control));
      tell(control);
    }
    if (event.target.matches("input[type=number], [data-slider]")) {
      const figure = control ? parts(control).figure : event.target;
      figure.setAttribute("aria-invalid", String(!figure.checkValidity()));
    }
    // What is looked for among the sliders changes no plan.
    if (!event.target.matches("[data-filter]")) htmx.trigger(form, "plan:change");
  });
  // The address holds what differs from the model, and nothing else.
  document.addEventListener("htmx:configRequest", (event) => {
    const form = event.target.closest?.("form[data-plan]");
    if (!form) return;
    for (const field of form.querySelectorAll("input[name]")) {
      const declared = field.closest("[data-declared]")?.dataset.declared;
      if (field.value === declared || field.value === "")
        delete event.detail.parameters[field.name];
    }
  });
  for (const control of document.querySelectorAll("[data-control]")) {
    parts(control).slider.hidden = false;
    tell(control);
  }
  // Every move is worked out at once: the button is for where no script runs.
  for (const button of document.querySelectorAll("[data-plan-button]")) button.hidden = true;
})();
