// Scans that the server has not answered yet. Each is kept before it is sent, under a nonce of its
// own: what was lost on the way is sent again, and the same nonce gets the same answer.
//
// One entry a key, so that two tabs never write over each other. Only the ticket is kept, no name.
"use strict";
(() => {
  const BATCH = 100;
  const EVERY = 15000;
  const PATIENCE = 6000;
  const DAYS = 3;

  class Refused extends Error {
    constructor(status, problem) {
      super(problem?.detail ?? `The server answered ${status}.`);
      this.status = status;
      this.code = problem?.code ?? "";
    }
    // Somebody has to sign in, or may not be here at all.
    get shut() {
      return this.status === 401 || this.status === 403;
    }
    // The same again would be refused again.
    get final() {
      return this.status >= 400 && this.status < 500 && !this.shut && this.status !== 429;
    }
  }

  // Answers, or throws: Refused if the server said no, anything else if it was not reached.
  const post = async (url, csrf, body) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
      credentials: "same-origin",
      signal: AbortSignal.timeout(PATIENCE),
      body: JSON.stringify(body),
    });
    const said = await answer.json().catch(() => null);
    if (!answer.ok) throw new Refused(answer.status, said);
    return said;
  };

  class Queue extends EventTarget {
    constructor({ event, api, csrf }) {
      super();
      this.api = api;
      this.csrf = csrf;
      this.waits = `tw-door/${event}/wait/`;
      this.seen = `tw-door/${event}/seen/`;
      this.forgetOld();
      addEventListener("online", () => this.sync());
      setInterval(() => this.entries().length && this.sync(), EVERY);
    }
    keep(ticket, list, at = new Date()) {
      const nonce = crypto.randomUUID?.() ?? `${Date.now()}-${String(Math.random()).slice(2)}`;
      const scan = { nonce, ticket, list_id: list, at: `${at.toISOString().slice(0, 19)}Z` };
      localStorage.setItem(this.waits + nonce, JSON.stringify(scan));
      this.changed();
      return scan;
    }
    drop(nonce) {
      localStorage.removeItem(this.waits + nonce);
      this.changed();
    }
    entries() {
      const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.waits));
      return keys.map((key) => JSON.parse(localStorage.getItem(key))).sort((a, b) => (a.at < b.at ? -1 : 1));
    }
    changed() {
      this.dispatchEvent(new CustomEvent("change", { detail: this.entries().length }));
    }

    // Who came in by this phone, for as long as the network cannot tell.
    remember(list, person) {
      localStorage.setItem(`${this.seen}${list}/${person}`, new Date().toISOString());
    }
    forget(list, person) {
      localStorage.removeItem(`${this.seen}${list}/${person}`);
    }
    cameBefore(list, person) {
      return localStorage.getItem(`${this.seen}${list}/${person}`);
    }
    forgetOld() {
      const oldest = new Date(Date.now() - DAYS * 86400000).toISOString();
      for (const key of Object.keys(localStorage))
        if (key.startsWith(this.seen) && localStorage.getItem(key) < oldest) localStorage.removeItem(key);
    }

    ask({ nonce, ticket, list_id }) {
      return post(`${this.api}/scan`, this.csrf, { nonce, ticket, list_id });
    }
    find(q, list_id) {
      return post(`${this.api}/search`, this.csrf, { q, list_id });
    }
    checkIn(participant_id, list_id, reason, nonce) {
      return post(`${this.api}/manual`, this.csrf, { participant_id, list_id, reason, nonce });
    }
    undo(person, list) {
      return post(`${this.api}/undo`, this.csrf, { participant_id: person, list_id: list });
    }

    // Everything that waits, oldest first; one tab at a time.
    async sync() {
      if (this.syncing) return;
      this.syncing = true;
      try {
        await this.alone(() => this.sendAll());
      } catch (error) {
        this.dispatchEvent(new CustomEvent(error instanceof Refused && error.shut ? "shut" : "away", { detail: error }));
      } finally {
        this.syncing = false;
      }
    }
    alone(work) {
      const one = { ifAvailable: true };
      return navigator.locks?.request(this.waits, one, (lock) => lock && work()) ?? work();
    }
    async sendAll() {
      for (let rest = this.entries(); rest.length; rest = this.entries()) {
        await this.send(rest.slice(0, BATCH));
        this.dispatchEvent(new Event("here"));
      }
    }
    async send(scans) {
      try {
        // The server corrects the times of scans by what this phone's clock shows now.
        const sent_at = `${new Date().toISOString().slice(0, 19)}Z`;
        const { results } = await post(`${this.api}/batch`, this.csrf, { scans, sent_at });
        const said = new Map(results.map((each) => [each.nonce, each]));
        for (const scan of scans) this.answered(scan, said.get(scan.nonce) ?? { result: "invalid" });
      } catch (error) {
        if (!(error instanceof Refused) || !error.final) throw error;
        // One of them is in the way of the others.
        if (scans.length > 1) for (const each of scans) await this.send([each]);
        else this.answered(scans[0], { result: "invalid" });
      }
    }
    answered(scan, answer) {
      this.drop(scan.nonce);
      this.dispatchEvent(new CustomEvent("answer", { detail: { scan, answer } }));
    }
  }
  window.twDoor = { ...window.twDoor, Queue, Refused };
})();
