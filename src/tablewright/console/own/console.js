// What pages do in the browser beyond htmx. Everything works by attributes; see templates/ui.html.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const on = (kind, selector, act) =>
    document.addEventListener(kind, (event) => {
      const found = event.target instanceof Element ? event.target.closest(selector) : null;
      if (found) act(found, event);
    });
  const cookie = (name, value) => {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  };

  // Menus: a click elsewhere or Escape closes them.
  const menus = () => all("details.menu[open]");
  document.addEventListener("click", (event) => {
    for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("focusin", (event) => {
    for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of menus()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  // The navigation on small screens.
  on("click", "[data-menu-toggle]", (button) => {
    const side = document.getElementById(button.getAttribute("aria-controls"));
    const open = side.classList.toggle("is-open");
    button.setAttribute("aria-expanded", String(open));
  });

  // Tabs that do not fit scroll: the current one is in sight.
  for (const tab of all(".page-tabs [aria-current]")) {
    const row = tab.closest(".page-tabs");
    row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  }

  // Theme: a cookie, so that the server writes the right one into the next page.
  on("click", "[data-theme-choice]", (button) => {
    const choice = button.dataset.themeChoice;
    document.documentElement.dataset.bsTheme = choice;
    cookie("tw_theme", choice);
    for (const each of all("[data-theme-choice]"))
      each.setAttribute("aria-pressed", String(each === button));
    document.dispatchEvent(new CustomEvent("tw:theme"));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    document.dispatchEvent(new CustomEvent("tw:theme")),
  );

  // Questions before something that cannot be undone.
  const ask = (question, action, tone) =>
    new Promise((resolve) => {
      const dialog = document.getElementById("confirm");
      const yes = dialog.querySelector("[data-yes]");
      dialog.querySelector("[data-question]").textContent = question;
      yes.textContent = action || "Go on";
      yes.classList.toggle("btn-danger", tone !== "primary");
      yes.classList.toggle("btn-primary", tone === "primary");
      dialog.returnValue = "";
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
      dialog.showModal();
    });
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    const question = button?.dataset.confirm;
    if (!question || button.dataset.confirmed) return;
    event.preventDefault();
    ask(question, button.dataset.confirmAction, button.dataset.confirmTone).then((yes) => {
      if (!yes) return button.focus();
      button.dataset.confirmed = "1";
      event.target.requestSubmit(button);
      delete button.dataset.confirmed;
    });
  });
  document.addEventListener("htmx:confirm", (event) => {
    if (!event.detail.question) return;
    event.preventDefault();
    const action = event.detail.elt.dataset.confirmAction;
    ask(event.detail.question, action).then((yes) => yes && event.detail.issueRequest(true));
  });
  // A form that is on its way is not sent twice.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "1";
    document.body.classList.add("busy");
  });
  addEventListener("pageshow", () => {
    document.body.classList.remove("busy");
    for (const form of all("form[data-sent]")) delete form.dataset.sent;
  });

  // Keys. Single letters can be switched off, for those whose speech input types them.
  const keysOff = () => localStorage.getItem("tw-keys") === "off";
  const typing = (target) =>
    target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
  const shortcuts = {
    "/": () => document.querySelector("[data-search]"),
    "?": () => document.getElementById("shortcuts"),
  };
  let before = "";
  document.addEventListener("keydown", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!plain || keysOff() || typing(event.target) || document.querySelector("dialog[open]")) return;
    const found = shortcuts[event.key]?.();
    if (found) {
      event.preventDefault();
      if (found instanceof HTMLDialogElement) found.showModal();
      else found.focus();
    }
    if (before === "g") document.querySelector(`[data-go="${CSS.escape(event.key)}"]`)?.click();
    before = event.key;
  });
  on("click", "[data-open-dialog]", (button) =>
    document.getElementById(button.dataset.openDialog).showModal(),
  );
  on("click", "dialog", (dialog, event) => event.target === dialog && dialog.close());
  on("change", "[data-keys-switch]", (box) =>
    localStorage.setItem("tw-keys", box.checked ? "on" : "off"),
  );

  // Tables that are all on the page can be sorted and filtered here.
  const worth = (row, column) => {
    const cell = row.cells[column];
    return cell?.dataset.sort ?? cell?.textContent.trim() ?? "";
  };
  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    return a !== "" && b !== "" && !isNaN(x) && !isNaN(y) ? x - y : a.localeCompare(b);
  };
  on("click", ".sort", (button) => {
    const head = button.closest("th");
    const body = head.closest("table").tBodies[0];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const last = all("tr.more-row", body);
    const rows = [...body.rows].filter((row) => !last.includes(row));
    rows.sort((a, b) => compare(worth(a, head.cellIndex), worth(b, head.cellIndex)) * (up ? 1 : -1));
    body.append(...rows, ...last);
  });
  on("input", "[data-filter]", (box) => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const each of all(box.dataset.filter)) {
      const text = (each.dataset.text ?? each.textContent).toLowerCase();
      each.hidden = !words.every((word) => text.includes(word));
      if (!each.hidden) shown += 1;
    }
    const count = document.getElementById(box.getAttribute("aria-describedby"));
    if (count) count.textContent = words.length ? `${shown} found` : "";
  });

  // A box that ticks others.
  on("change", "[data-check-all]", (box) => {
    for (const each of all(box.dataset.checkAll)) each.checked = box.checked;
  });

  on("click", "[data-copy]", async (button) => {
    const source = button.dataset.copy;
    const text = source ? document.getElementById(source).textContent : button.dataset.copyText;
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.", "success");
    } catch {
      say("The browser does not allow copying here.", "warning");
    }
  });

  on("click", "[data-print]", () => print());

  // Times: the server writes UTC; people read how long ago, or the time of their own zone with its
  // name. The title keeps the other form.
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const since = (element) => {
    const seconds = Math.round((Date.parse(element.dateTime) - Date.now()) / 1000);
    const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? units[3];
    element.textContent = relative.format(Math.trunc(seconds / size), unit);
  };
  const local = (moment) =>
    new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      ...(moment.getSeconds() && { second: "2-digit" }),
      timeZoneName: "short",
    }).format(moment);
  const times = (root = document) => {
    for (const each of all("time[data-ago]", root)) since(each);
    for (const each of all("time:not([title])", root)) {
      const moment = new Date(each.dateTime);
      // A day without a time is the same everywhere.
      if (isNaN(moment) || !each.dateTime.includes("T")) continue;
      const own = local(moment);
      if (each.hasAttribute("data-local")) {
        each.title = each.textContent;
        each.textContent = own;
      } else each.title = own;
    }
  };
  setInterval(() => document.hidden || times(), 15000);

  // A view that was replaced may have lost what had the focus: then one goes on from its beginning.
  document.addEventListener("htmx:afterSettle", (event) => {
    const view = document.querySelector("[data-view]");
    if (view && event.target === view && document.activeElement === document.body)
      view.focus({ preventScroll: true });
  });

  // Messages that no page load brings.
  function say(text, tone = "info") {
    const box = document.createElement("div");
    box.className = `notice tone-${tone}`;
    box.textContent = text;
    document.getElementById("toasts").append(box);
    setTimeout(() => box.remove(), 8000);
  }
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    // Who is not signed in any more is asked to by the page itself.
    if (status === 401) location.reload();
    else say(`That did not work (the server answered ${status}).`, "danger");
  });
  document.addEventListener("htmx:sendError", () => say("The server does not answer.", "danger"));
  document.addEventListener("htmx:load", (event) => times(event.detail.elt));
  document.addEventListener("DOMContentLoaded", () => {
    times();
    const box = document.querySelector("[data-keys-switch]");
    if (box) box.checked = !keysOff();
    document.querySelector("[autofocus], [aria-invalid=true]")?.focus();
  });
})();
