// Server-sent events for htmx: a source that rests while its page is hidden, and says how it is.
//
// A browser opens six connections to a server, and a page in the background would hold one of
// them. What was missed meanwhile is fetched at once when the page is back: parts listen to
// "resync" as well as to their own event.
"use strict";
(() => {
  const PATIENCE = 20000;
  const LONGEST = 30000;
  const STATES = { on: "Live", off: "Reconnecting…", paused: "Paused" };
  const sources = new Map();

  // Parts are fetched at once, then not before their time is over; the last event always counts.
  const fetched = new WeakMap();
  const fetchSoon = (part) => {
    const known = fetched.get(part) ?? { at: -Infinity, timer: 0 };
    if (known.timer) return;
    const gap = Number(part.dataset.refreshSecs || 1) * 1000;
    known.timer = setTimeout(() => {
      fetched.set(part, { at: performance.now(), timer: 0 });
      if (part.isConnected) htmx.trigger(part, "tw:refresh");
    }, Math.max(0, known.at + gap - performance.now()));
    fetched.set(part, known);
  };

  class Source extends EventTarget {
    constructor(url) {
      super();
      this.url = url;
      this.kinds = new Set();
      this.wait = 1000;
      this.ended = false;
      this.hide = () => this.onVisibility();
      document.addEventListener("visibilitychange", this.hide);
      sources.set(url, this);
      this.connect();
      for (const kind of this.refreshing()) this.addEventListener(kind, () => this.refresh(kind));
    }
    get areas() {
      const found = [...document.querySelectorAll("[sse-connect]")];
      return found.filter((area) => area.getAttribute("sse-connect") === this.url);
    }
    // The events that parts of the page are fetched after.
    refreshing() {
      const parts = this.areas.flatMap((area) => [...area.querySelectorAll("[data-refresh-on]")]);
      return new Set(parts.flatMap((part) => part.dataset.refreshOn.split(" ")));
    }
    refresh(kind) {
      for (const area of this.areas)
        for (const part of area.querySelectorAll(`[data-refresh-on~="${CSS.escape(kind)}"]`)) fetchSoon(part);
    }
    get readyState() {
      return this.ended ? EventSource.CLOSED : EventSource.OPEN;
    }
    connect() {
      this.inner = new EventSource(this.url, { withCredentials: true });
      this.inner.onopen = () => this.opened();
      this.inner.onerror = () => this.failed();
      for (const kind of this.kinds) this.relay(kind);
    }
    opened() {
      this.wait = 1000;
      this.tell("on");
      if (this.again) this.dispatchEvent(new MessageEvent("resync", { data: "" }));
      this.again = true;
    }
    failed() {
      this.tell("off");
      // The browser tries again by itself, unless the server refused.
      if (this.inner.readyState !== EventSource.CLOSED || this.ended) return;
      this.timer = setTimeout(() => this.connect(), this.wait * (0.75 + Math.random() / 2));
      this.wait = Math.min(this.wait * 2, LONGEST);
    }
    relay(kind) {
      this.inner.addEventListener(kind, (event) => {
        const data = { data: event.data, lastEventId: event.lastEventId };
        this.dispatchEvent(new MessageEvent(kind, data));
      });
    }
    addEventListener(kind, ...rest) {
      super.addEventListener(kind, ...rest);
      if (this.kinds.has(kind)) return;
      this.kinds.add(kind);
      this.relay(kind);
    }
    onVisibility() {
      clearTimeout(this.timer);
      if (this.ended || this.paused) return;
      if (document.hidden) this.timer = setTimeout(() => this.rest(), PATIENCE);
      else if (this.inner.readyState === EventSource.CLOSED) this.connect();
    }
    rest() {
      this.inner.close();
    }
    pause() {
      this.paused = true;
      clearTimeout(this.timer);
      this.inner.close();
      this.tell("paused");
    }
    resume() {
      this.paused = false;
      this.tell("off");
      this.connect();
    }
    tell(state) {
      for (const area of this.areas) {
        if (area.dataset.live === state) continue;
        area.dataset.live = state;
        const text = area.querySelector("[data-live-state]");
        if (text) text.textContent = STATES[state];
      }
    }
    close() {
      this.ended = true;
      if (sources.get(this.url) === this) sources.delete(this.url);
      clearTimeout(this.timer);
      document.removeEventListener("visibilitychange", this.hide);
      this.inner.close();
    }
  }

  htmx.createEventSource = (url) => new Source(url);

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-live-pause]");
    const source = button && sources.get(button.closest("[sse-connect]")?.getAttribute("sse-connect"));
    if (!source) return;
    if (source.paused) source.resume();
    else source.pause();
    // The button says what it would do.
    const text = button.querySelector("span");
    [text.textContent, button.dataset.livePause] = [button.dataset.livePause, text.textContent];
  });

  // Lines of lists that arrive by themselves.
  const arrive = (list, html) => {
    const made = document.createElement("template");
    made.innerHTML = html;
    const line = made.content.firstElementChild;
    const known = line && document.getElementById(line.id);
    if (!line) return;
    if (line.hasAttribute("data-gone")) return void known?.remove();
    if (!place(list, line, known)) return;
    if (!known) line.classList.add("is-new");
    htmx.process(line);
    htmx.trigger(line, "htmx:load", { elt: line });
  };
  const place = (list, line, known) => {
    if (known) return known.replaceWith(line), true;
    const lines = [...list.querySelectorAll(":scope > [data-order]")];
    const before = lines.find((each) => each.dataset.order < line.dataset.order);
    // What is older than all that is shown stands further down, where nobody has looked yet.
    if (!before && lines.length < list.children.length) return false;
    list.insertBefore(line, before ?? null);
    for (const each of lines.slice(Number(list.dataset.most || Infinity) - 1)) each.remove();
    return true;
  };
  document.addEventListener("htmx:sseBeforeMessage", (event) => {
    if (!event.target.matches("[data-live-list]")) return;
    event.preventDefault();
    arrive(event.target, event.detail.data);
  });

  // What somebody has opened, sorted or scrolled stays so when a part of the page is replaced.
  let kept = null;
  const keep = (area) => {
    kept = {
      open: [...area.querySelectorAll("details[id][open]")].map((each) => each.id),
      sorted: [...area.querySelectorAll("table[id] th[aria-sort]")].map((each) => [
        each.closest("table").id, each.cellIndex, each.getAttribute("aria-sort"),
      ]),
      left: [...area.querySelectorAll(".table-wrap:has(table[id])")].map((each) => [
        each.querySelector("table").id, each.scrollLeft,
      ]),
    };
  };
  const restore = () => {
    if (!kept) return;
    const { open, sorted, left } = kept;
    kept = null;
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    for (const [id, column, way] of sorted) {
      const head = document.getElementById(id)?.tHead.rows[0].cells[column];
      if (!head) continue;
      if (way === "descending") head.setAttribute("aria-sort", "ascending");
      head.querySelector(".sort")?.click();
    }
    for (const [id, x] of left) {
      const wrap = document.getElementById(id)?.closest(".table-wrap");
      if (wrap) wrap.scrollLeft = x;
    }
  };
  for (const kind of ["htmx:beforeSwap", "htmx:sseBeforeMessage"])
    document.addEventListener(kind, (event) => event.defaultPrevented || keep(event.target));
  for (const kind of ["htmx:afterSwap", "htmx:sseMessage"])
    document.addEventListener(kind, restore);
})();
