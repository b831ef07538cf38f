// Server-sent events for htmx: a source that rests while its page is hidden, and says how it is.
//
// A browser opens six connections to a server, and a page in the background would hold one of
// them. What was missed meanwhile is fetched at once when the page is back: parts listen to
// "resync" as well as to their own event.
"use strict";
(() => {
  const PATIENCE = 20000;
  const LONGEST = 30000;

  class Source extends EventTarget {
    constructor(url) {
      super();
      this.url = url;
      this.kinds = new Set();
      this.wait = 1000;
      this.ended = false;
      this.hide = () => this.onVisibility();
      document.addEventListener("visibilitychange", this.hide);
      this.connect();
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
      if (this.ended) return;
      if (document.hidden) this.timer = setTimeout(() => this.rest(), PATIENCE);
      else if (this.inner.readyState === EventSource.CLOSED) this.connect();
    }
    rest() {
      this.inner.close();
    }
    tell(state) {
      for (const area of document.querySelectorAll("[sse-connect]")) {
        if (area.getAttribute("sse-connect") !== this.url || area.dataset.live === state) continue;
        area.dataset.live = state;
        const text = area.querySelector("[data-live-state]");
        if (text) text.textContent = state === "on" ? "Live" : "Reconnecting…";
      }
    }
    close() {
      this.ended = true;
      clearTimeout(this.timer);
      document.removeEventListener("visibilitychange", this.hide);
      this.inner.close();
    }
  }

  htmx.createEventSource = (url) => new Source(url);

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
    document.addEventListener(kind, (event) => keep(event.target));
  for (const kind of ["htmx:afterSwap", "htmx:sseMessage"])
    document.addEventListener(kind, restore);
})();
