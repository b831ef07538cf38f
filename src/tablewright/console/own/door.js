// The door: a ticket is scanned or typed, and the answer fills the screen. Without a network the
// ticket's signature decides, and the scan is sent later. See door-queue.js, door-camera.js and
// door-tickets.js.
"use strict";
(() => {
  const root = document.querySelector("[data-door]");
  if (!root) return;
  const { Camera, Queue, Refused, TicketReader } = window.twDoor;
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const MOST_LINES = 50;
  const event = root.dataset.event;
  const reader = new TicketReader(JSON.parse(part("keys").textContent));
  const queue = new Queue({ event, api: root.dataset.api, csrf: root.dataset.csrf });

  // --- what is said ------------------------------------------------------------------------------

  const WORDS = {
    ok: ["Come in", "success"],
    kept: ["Come in", "kept"],
    already_redeemed: ["Already in", "warning"],
    unpaid: ["Team has not paid", "danger"],
    revoked: ["Ticket was replaced", "danger"],
    invalid: ["Not a ticket", "danger"],
    wrong_event: ["Ticket of another event", "danger"],
    wrong_list: ["No such list", "danger"],
    nonce_reused: ["Scan it again", "warning"],
    shut: ["Not checked", "danger"],
    undone: ["Taken back", "plain"],
  };
  const MORE = {
    kept: "Offline: the ticket is genuine. Payment is checked when the network is back.",
    unchecked: "Offline, and this phone cannot check tickets: it is kept until the network is back.",
    unpaid: "Send the team’s leader to the help desk.",
    revoked: "There is a newer ticket: ask for the one on their page.",
    invalid: "The code was not made by this event’s office.",
    wrong_event: "It is genuine, for somewhere else.",
    wrong_list: "Choose another list above.",
  };
  const clock = (moment) =>
    new Date(moment).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  // With the surname: it is compared with an identity card.
  const who = (answer) => [answer.first_name, answer.last_name].filter(Boolean).join(" ");
  const details = (kind, answer) => {
    if (kind === "already_redeemed" && answer.here) return `By this phone at ${clock(answer.at)}.`;
    if (kind === "already_redeemed" && answer.redeemed_at) return `Scanned at ${clock(answer.redeemed_at)}.`;
    return answer.unchecked ? MORE.unchecked : MORE[kind] ?? "";
  };

  const show = (kind, answer = {}) => {
    const [title, tone] = WORDS[kind] ?? [kind, "danger"];
    const board = part("board");
    board.dataset.tone = tone;
    part("sign").setAttribute("href", `${root.dataset.icons}#${SIGNS[tone]}`);
    part("title").textContent = who(answer) && kind === "ok" ? `Come in, ${who(answer)}` : title;
    part("team").textContent = [kind === "ok" ? "" : who(answer), answer.team_name].filter(Boolean).join(" · ");
    part("detail").textContent = answer.detail ?? details(kind, answer);
    // The same answer twice is seen twice.
    board.classList.remove("is-fresh");
    void board.offsetWidth;
    board.classList.add("is-fresh");
    signal(tone);
  };
  const SIGNS = { success: "check", kept: "cloud-off", warning: "alert-triangle", danger: "x", plain: "arrow-back-up" };

  // Heard and felt as well: volunteers look at people, not at phones.
  let sound = null;
  const tones = { success: [880], kept: [880], warning: [440, 440], danger: [220, 220, 220], plain: [] };
  const signal = (tone) => {
    navigator.vibrate?.({ success: 60, kept: 60, warning: [80, 60, 80] }[tone] ?? [200, 80, 200]);
    if (!sound || part("sound").getAttribute("aria-pressed") !== "true") return;
    tones[tone].forEach((pitch, at) => {
      const [voice, volume] = [sound.createOscillator(), sound.createGain()];
      voice.frequency.value = pitch;
      volume.gain.value = 0.12;
      voice.connect(volume).connect(sound.destination);
      voice.start(sound.currentTime + at * 0.16);
      voice.stop(sound.currentTime + at * 0.16 + 0.1);
    });
  };

  // --- the last scans ----------------------------------------------------------------------------

  const lines = new Map();
  const note = (scan, kind, answer = {}) => {
    const line = lines.get(scan.nonce) ?? fresh(scan);
    const [title, tone] = WORDS[kind];
    line.dataset.tone = tone;
    line.querySelector("[data-line=name]").textContent = who(answer) || title;
    line.querySelector("[data-line=what]").textContent = [who(answer) ? title : "", answer.team_name, clock(scan.at)].filter(Boolean).join(" · ");
    const undo = line.querySelector("button");
    undo.hidden = !(kind === "ok" || kind === "kept");
    undo.onclick = () => takeBack(scan, kind, line);
    undo.querySelector("span span").textContent = who(answer) || `the scan of ${clock(scan.at)}`;
  };
  const fresh = (scan) => {
    const line = part("line").content.firstElementChild.cloneNode(true);
    lines.set(scan.nonce, line);
    part("lines").prepend(line);
    part("none").hidden = true;
    while (part("lines").children.length > MOST_LINES) part("lines").lastElementChild.remove();
    return line;
  };

  const takeBack = async (scan, kind, line) => {
    const person = scan.person ?? reader.parts(scan.ticket).person;
    line.querySelector("button").disabled = true;
    try {
      if (kind === "kept") queue.drop(scan.nonce);
      else await queue.undo(person, scan.list_id);
      queue.forget(scan.list_id, person);
      note(scan, "undone", {});
      show("undone", { detail: "The ticket can be used again." });
      count();
    } catch (error) {
      const detail = error instanceof Refused ? error.message : "No network: try again in a moment.";
      show("shut", { detail });
    } finally {
      line.querySelector("button").disabled = false;
    }
  };

  // --- a scan ------------------------------------------------------------------------------------

  const take = async (text) => {
    const ticket = reader.parts(text);
    const list = part("list").value;
    if (!ticket) return SHORT.test(text) ? takeCode(text, list) : show("invalid");
    const scan = queue.keep(text, list);
    const came = queue.cameBefore(list, ticket.person);
    try {
      const answer = await queue.ask(scan);
      queue.drop(scan.nonce);
      reached(true);
      settled(scan, ticket, answer);
      show(answer.result, answer);
      queue.sync();
    } catch (error) {
      if (error instanceof Refused && error.final) {
        queue.drop(scan.nonce);
        return show("invalid", { detail: error.message });
      }
      if (error instanceof Refused && error.shut) return closed(error);
      reached(false);
      await alone(scan, ticket, came);
    }
  };
  // A short code is looked up by the server: offline it cannot be checked.
  const SHORT = /^[0-9A-Za-z]{3}[ -]?[0-9A-Za-z]{3}$/;
  const nonce = () => crypto.randomUUID?.() ?? `${Date.now()}-${String(Math.random()).slice(2)}`;
  const takeCode = async (text, list) => {
    const scan = { nonce: nonce(), ticket: text, list_id: list, at: new Date().toISOString() };
    try {
      byServer(scan, await queue.ask(scan));
    } catch (error) {
      refusedByServer(error);
    }
  };
  const byServer = (scan, answer) => {
    reached(true);
    if (answer.participant_id) settled({ ...scan, person: answer.participant_id }, { person: answer.participant_id }, answer);
    show(answer.result, answer);
  };
  const refusedByServer = (error) => {
    if (error instanceof Refused && error.shut) return closed(error);
    if (!(error instanceof Refused)) reached(false);
    show("shut", { detail: error instanceof Refused ? error.message : "No network: a code can only be checked online." });
  };
  const settled = (scan, ticket, answer) => {
    if (answer.result === "ok") queue.remember(scan.list_id, ticket.person);
    note(scan, answer.result, answer);
    count();
  };
  // Nobody can be asked: the signature, and what this phone has seen.
  const alone = async (scan, ticket, came) => {
    const ours = await reader.isOurs(ticket);
    const no = ours === false ? "invalid" : ticket.event !== event ? "wrong_event" : came ? "already_redeemed" : "";
    if (no) {
      queue.drop(scan.nonce);
      return show(no, { at: came, here: true });
    }
    queue.remember(scan.list_id, ticket.person);
    note(scan, "kept");
    show("kept", { unchecked: ours === null });
    count();
  };
  // Answers to what was kept: only surprises are worth a look.
  queue.addEventListener("answer", ({ detail: { scan, answer } }) => {
    note(scan, answer.result, answer);
    count();
    if (answer.result === "ok") return;
    surprises += 1;
    const scans = surprises === 1 ? "1 scan that was kept is" : `${surprises} scans that were kept are`;
    part("surprises").hidden = false;
    part("surprises-text").textContent = `${scans} not good: see below.`;
  });
  let surprises = 0;

  // --- the network -------------------------------------------------------------------------------

  const reached = (yes) => {
    root.dataset.network = yes ? "on" : "off";
    state();
  };
  const state = () => {
    const waiting = queue.entries().length;
    const away = root.dataset.network === "off";
    part("state").textContent = away ? "Offline" : "Online";
    part("waiting").textContent = waiting ? `${waiting} to send` : "";
    part("send").hidden = !waiting;
  };
  const closed = (error) => {
    part("closed").hidden = false;
    const detail = error.status === 401 ? "You are signed out. Scans are kept on this phone until you sign in again." : error.message;
    show("shut", { detail });
  };
  const count = () => {
    const came = [...lines.values()].filter((line) => ["success", "kept"].includes(line.dataset.tone));
    part("count").textContent = String(came.length);
  };
  queue.addEventListener("change", state);
  queue.addEventListener("here", () => reached(true));
  queue.addEventListener("away", () => reached(false));
  queue.addEventListener("shut", ({ detail }) => closed(detail));
  addEventListener("offline", () => reached(false));
  addEventListener("online", () => reached(true));
  part("send").addEventListener("click", () => queue.sync());

  // --- the camera, the keyboard, the list ----------------------------------------------------------

  const camera = new Camera(part("video"), root.dataset.decoder, take);
  const watching = (on) => {
    root.dataset.camera = on ? "on" : "off";
    part("stop").hidden = !on;
    part("torch").hidden = !on || !camera.hasTorch;
  };
  part("start").addEventListener("click", async () => {
    part("trouble").textContent = "";
    sound ??= "AudioContext" in window ? new AudioContext() : null;
    try {
      await camera.start();
      watching(true);
    } catch (error) {
      camera.stop();
      watching(false);
      part("trouble").textContent = error.name === "NotAllowedError"
        ? "The browser may not use the camera. Allow it in the site’s settings, or type the code."
        : `There is no camera to use (${error.message}). Type the code.`;
    }
  });
  part("stop").addEventListener("click", () => {
    camera.stop();
    watching(false);
  });
  const pressed = (button, act) =>
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      act(on);
    });
  pressed(part("torch"), (on) => camera.torch(on));
  pressed(part("sound"), () => {
    sound ??= "AudioContext" in window ? new AudioContext() : null;
  });
  part("typed").addEventListener("submit", (submit) => {
    submit.preventDefault();
    const box = part("code");
    const text = box.value.trim();
    if (text) take(text);
    box.value = "";
    box.focus();
  });
  // --- people without a ticket ---------------------------------------------------------------------

  const said = (text) => {
    part("found-text").textContent = text;
  };
  const listPeople = (people, list) => {
    part("people").replaceChildren(...people.map((person) => personLine(person, list)));
    part("found").hidden = !people.length;
    said(people.length ? "" : "Nobody found. Check the spelling, or search by team or phone number.");
  };
  const personLine = (person, list) => {
    const line = part("person").content.firstElementChild.cloneNode(true);
    const name = who(person);
    const state = person.redeemed_at ? `checked in at ${clock(person.redeemed_at)}` : person.paid ? "not checked in" : "team has not paid";
    line.dataset.tone = person.redeemed_at ? "success" : person.paid ? "plain" : "danger";
    line.querySelector("[data-line=name]").textContent = name;
    line.querySelector("[data-line=what]").textContent = [person.team, state].filter(Boolean).join(" · ");
    const button = line.querySelector("button");
    button.querySelector("span span").textContent = name;
    button.hidden = Boolean(person.redeemed_at) || !person.paid;
    button.addEventListener("click", () => checkIn(person, list, button));
    return line;
  };
  const checkIn = async (person, list, button) => {
    const reason = part("reason").value.trim();
    if (reason.length < 3) {
      said("Enter the reason first. It is kept in the audit log.");
      return part("reason").focus();
    }
    button.disabled = true;
    const scan = { nonce: nonce(), ticket: "", list_id: list, at: new Date().toISOString() };
    try {
      byServer(scan, await queue.checkIn(person.participant_id, list, reason, scan.nonce));
      await find();
    } catch (error) {
      refusedByServer(error);
    } finally {
      button.disabled = false;
    }
  };
  const find = async () => {
    const list = part("list").value;
    try {
      const { people } = await queue.find(part("query").value.trim(), list);
      reached(true);
      listPeople(people, list);
    } catch (error) {
      if (error instanceof Refused && error.shut) return closed(error);
      if (!(error instanceof Refused)) reached(false);
      said(error instanceof Refused ? error.message : "No network: people can only be found online.");
    }
  };
  part("find").addEventListener("submit", (submit) => {
    submit.preventDefault();
    if (part("query").value.trim()) find();
  });

  const remembered = `tw-door/${event}/list`;
  const before = localStorage.getItem(remembered);
  if ([...part("list").options].some((each) => each.value === before)) part("list").value = before;
  part("list").addEventListener("change", () => localStorage.setItem(remembered, part("list").value));

  if (!Camera.possible) {
    part("start").disabled = true;
    part("trouble").textContent = "This browser gives no camera to this page (it needs https). Type the code.";
  }
  // A reload without a network still has the page, and the files that it is made of.
  const packed = async () => {
    await navigator.serviceWorker.register(root.dataset.worker, { scope: root.dataset.scope });
    const kept = await caches.open("tw-door");
    const file = (url) => new URL(url, location.href).pathname.startsWith("/assets/");
    const files = performance.getEntriesByType("resource").map((each) => each.name).filter(file);
    const wanted = new Set([...files, new URL(root.dataset.decoder, location.href).href]);
    for (const old of await kept.keys()) if (file(old.url) && !wanted.has(old.url)) await kept.delete(old);
    await kept.addAll([location.href.split("#")[0], ...wanted]);
    await navigator.serviceWorker.ready;
    part("packed").hidden = false;
  };
  if ("serviceWorker" in navigator && "caches" in window)
    addEventListener("load", () => packed().catch(() => {}));
  root.dataset.network = navigator.onLine ? "on" : "off";
  root.dataset.ready = "1";
  // Only now: before, the browser would have sent the form by itself, and the code were lost.
  part("check").disabled = false;
  part("search").disabled = false;
  state();
  queue.sync();
})();
