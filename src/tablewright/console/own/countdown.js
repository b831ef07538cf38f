// Times that run out: <time data-countdown datetime="…" data-now="…">. `data-now` is the server's
// clock when the page was made: a clock that goes wrong here changes nothing. `data-over` is what it
// says at the end, and with `data-reload` the page is then fetched again, once.
"use strict";
(() => {
  const all = [...document.querySelectorAll("time[data-countdown]")];
  const loaded = performance.now();
  const two = (number) => String(number).padStart(2, "0");

  const left = (element) => {
    const began = Date.parse(element.dataset.now) + performance.now() - loaded;
    return Math.max(0, Math.ceil((Date.parse(element.dateTime) - began) / 1000));
  };
  const written = (seconds) => {
    const [days, hours] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600)];
    const [minutes, rest] = [Math.floor((seconds % 3600) / 60), seconds % 60];
    if (days) return `${days} d ${hours % 24} h`;
    return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${two(minutes)}:${two(rest)}`;
  };
  // Seconds are for eyes; ears are told when it matters.
  const told = new Map([[300, "Five minutes are left."], [60, "One minute is left."]]);
  const say = (text) => {
    const box = document.createElement("p");
    box.className = "visually-hidden";
    box.textContent = text;
    document.getElementById("toasts").append(box);
    setTimeout(() => box.remove(), 10000);
  };

  const ending = new Set(all.filter((each) => left(each) > 0));
  const end = (element) => {
    ending.delete(element);
    if (element.hasAttribute("data-reload")) setTimeout(() => location.reload(), 1500);
  };
  const tick = () => {
    for (const each of all) {
      const seconds = left(each);
      each.textContent = seconds ? written(seconds) : each.dataset.over || written(0);
      each.classList.toggle("is-short", seconds <= 300);
      if (!ending.has(each)) continue;
      if (told.has(seconds)) say(told.get(seconds));
      if (!seconds) end(each);
    }
  };
  tick();
  setInterval(tick, 1000);
})();
