// Assessments are saved while they are filled in: <form data-assessing="/path">.
//
// Parts of the form that were touched, [data-group], go there as the form itself would send them,
// one request at a time, with the revision that was seen last. The answer has the next revision. If
// somebody else has saved meanwhile nothing is lost: one is asked which version to keep.
"use strict";
(() => {
  const form = document.querySelector("form[data-assessing]");
  if (!form) return;
  const PAUSE = 800;
  const LONGEST = 30000;
  const state = form.querySelector("[data-save]");
  const words = form.querySelector("[data-save-state]");
  const again = form.querySelector("[data-save-again]");
  const conflict = document.querySelector("[data-save-conflict]");
  const revision = form.elements.namedItem("revision");
  const groups = [...form.querySelectorAll("[data-group]")];
  const dirty = new Set();
  let timer = 0;
  let running = null;
  let wait = 2000;
  let leaving = false;

  // --- what is said about it ---------------------------------------------------------------------

  const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
  const say = (kind, text) => {
    state.dataset.save = kind;
    if (words.textContent !== text) words.textContent = text;
    again.hidden = kind !== "failed";
  };
  const count = ([done, of], step) => {
    const place = document.querySelector(`[data-step="${step}"] [data-step-count]`);
    if (!place) return;
    place.classList.toggle("is-done", done === of);
    place.childNodes[1].textContent = `${done}/${of}`;
  };
  const progress = (answer) => {
    const answered = document.querySelector("[data-answered]");
    if (answered) answered.textContent = answer.answered;
    answer.steps.forEach(count);
  };
  const mark = (errors) => {
    for (const box of form.querySelectorAll("[aria-invalid]")) box.removeAttribute("aria-invalid");
    for (const each of errors) {
      const box = form.elements.namedItem(each.field.replace(/^body\./, ""));
      if (box instanceof Element) box.setAttribute("aria-invalid", "true");
    }
  };

  // --- sending it --------------------------------------------------------------------------------

  const fields = (sent) => {
    const body = new URLSearchParams();
    for (const name of ["csrf_token", "revision", "step"])
      body.set(name, form.elements.namedItem(name).value);
    for (const group of sent)
      for (const box of group.querySelectorAll("input, textarea, select"))
        if (box.type !== "radio" || box.checked) body.set(box.name, box.value);
    return body;
  };
  const later = (secs) => {
    clearTimeout(timer);
    timer = setTimeout(save, secs);
  };
  const lost = () => {
    say("failed", navigator.onLine ? "Not saved: the server does not answer. Trying again…" : "Not saved: you are offline.");
    later(wait);
    wait = Math.min(wait * 2, LONGEST);
  };
  const refused = (status, answer) => {
    if (status === 412) {
      conflict.hidden = false;
      conflict.dataset.revision = answer.revision;
      say("conflict", "Not saved: there is a newer version.");
      conflict.focus();
    } else if (status === 401) say("failed", "Not saved: you are signed out. Sign in in another tab, then try again.");
    else if (status === 422) {
      mark(answer.errors ?? []);
      say("failed", answer.errors?.[0]?.message ?? answer.detail);
    } else say("failed", `Not saved. ${answer.detail ?? ""}`);
  };
  const send = async () => {
    const sent = groups.filter((group) => dirty.has(group));
    dirty.clear();
    say("saving", "Saving…");
    const put = () => sent.forEach((group) => dirty.add(group));
    let response;
    try {
      response = await fetch(form.dataset.assessing, {
        method: "POST",
        body: fields(sent),
        headers: { Accept: "application/json" },
        keepalive: leaving,
      });
    } catch {
      put();
      return lost();
    }
    const answer = await response.json().catch(() => ({}));
    if (response.status >= 500 || response.status === 429) {
      put();
      return lost();
    }
    if (!response.ok) {
      put();
      return refused(response.status, answer);
    }
    wait = 2000;
    revision.value = answer.revision;
    mark([]);
    progress(answer);
    if (!dirty.size) say("saved", `Saved at ${clock.format(new Date())}`);
  };
  const save = async () => {
    clearTimeout(timer);
    while (running) await running;
    if (!dirty.size || !conflict.hidden) return;
    running = send();
    await running;
    running = null;
    if (dirty.size && state.dataset.save === "saving") later(PAUSE);
  };
  const changed = (group) => {
    dirty.add(group);
    if (!conflict.hidden) return;
    say("dirty", "Not saved yet…");
    later(PAUSE);
  };
  form.addEventListener("input", (event) => {
    const group = event.target.closest("[data-group]");
    if (group) changed(group);
  });
  again.addEventListener("click", save);
  addEventListener("online", save);
  document.addEventListener("visibilitychange", () => document.hidden && save());

  // --- two versions ------------------------------------------------------------------------------

  conflict.querySelector("[data-save-mine]").addEventListener("click", async () => {
    // Only what was touched here is sent: the rest stays as the newer version has it.
    revision.value = conflict.dataset.revision;
    conflict.hidden = true;
    await save();
    if (!dirty.size) location.reload();
  });
  conflict.querySelector("[data-save-theirs]").addEventListener("click", () => {
    dirty.clear();
    location.reload();
  });

  // --- texts belong to levels --------------------------------------------------------------------

  for (const group of groups) {
    const source = group.querySelector("[data-kept]");
    if (!source) continue;
    const kept = JSON.parse(source.textContent);
    const boxes = { evidence: group.querySelector('[name$=".evidence"]'), next: group.querySelector('[name$=".next"]') };
    const radios = [...group.querySelectorAll('input[type="radio"]')];
    let level = radios.find((box) => box.checked)?.value ?? "";
    const turn = (to) => {
      if (level) kept[level] = { evidence: boxes.evidence.value, next: boxes.next.value };
      const there = kept[to];
      // Nothing was said about that level: what is there goes along.
      if (there?.evidence || there?.next)
        for (const name of ["evidence", "next"]) boxes[name].value = there[name];
      if (to) level = to;
    };
    for (const box of radios) box.addEventListener("change", () => turn(box.value));
    // Digits choose, as arrows do.
    group.addEventListener("keydown", (event) => {
      if (event.target.type !== "radio" || event.ctrlKey || event.altKey || event.metaKey) return;
      const wanted = radios.find((box) => box.value === event.key || (event.key === "0" && !box.value));
      if (!wanted || wanted.checked) return;
      event.preventDefault();
      wanted.focus();
      wanted.click();
    });
  }

  // --- going on ----------------------------------------------------------------------------------

  // What is being saved is saved first: the next page begins with the revision after it.
  form.addEventListener("submit", async (event) => {
    if (!running && !dirty.size) return;
    event.preventDefault();
    await save();
    if (!dirty.size) form.requestSubmit(event.submitter);
  });
  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[href]");
    const plain = link && !event.ctrlKey && !event.metaKey && !event.shiftKey && link.target !== "_blank";
    if (!plain || (!running && !dirty.size) || link.getAttribute("href").startsWith("#")) return;
    event.preventDefault();
    await save();
    if (!dirty.size || confirm("Some of it is not saved. Leave anyway?")) {
      dirty.clear();
      location.assign(link.href);
    }
  });
  addEventListener("pagehide", () => {
    leaving = true;
    save();
  });
  addEventListener("beforeunload", (event) => {
    if (dirty.size && state.dataset.save !== "saving") event.preventDefault();
  });
  if (state.dataset.save === "none") say("none", "Saved while you type");
})();
