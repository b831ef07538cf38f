// Forms that are kept while they are filled in: <form data-autosave="/path">. What was typed goes
// there as the form itself would send it; [data-autosave-state] says how that went.
"use strict";
(() => {
  const PAUSE = 900;
  for (const form of document.querySelectorAll("form[data-autosave]")) {
    const state = form.querySelector("[data-autosave-state]");
    const say = (text) => {
      if (state) state.textContent = text;
    };
    let timer = 0;
    let dirty = false;

    const save = async () => {
      clearTimeout(timer);
      if (!dirty || form.dataset.sent) return;
      dirty = false;
      say("Saving…");
      try {
        const body = new URLSearchParams(new FormData(form));
        const answer = await fetch(form.dataset.autosave, { method: "POST", body, keepalive: true });
        if (!answer.ok) throw new Error(String(answer.status));
        say("Saved. You can go on later.");
      } catch {
        dirty = true;
        say("Not saved: there is no connection, or you are signed out.");
      }
    };
    form.addEventListener("input", () => {
      dirty = true;
      clearTimeout(timer);
      timer = setTimeout(save, PAUSE);
    });
    document.addEventListener("visibilitychange", () => document.hidden && save());
  }

  // What belongs to one choice is shown with it; without a script all of it is.
  const choose = (box) => {
    for (const part of document.querySelectorAll(`[data-with^="${CSS.escape(box.name)}="]`))
      part.hidden = part.dataset.with !== `${box.name}=${box.value}`;
  };
  for (const box of document.querySelectorAll("[data-chooses]")) {
    box.addEventListener("change", () => choose(box));
    if (box.checked) choose(box);
  }
})();
