// Keeps the page of the door for when there is no network: a phone that has thrown the page away
// still opens it, with the scans that wait in it. Nothing else is kept, and nothing else is answered.
"use strict";
const CACHE = "tw-door";
const PATIENCE = 5000;
const page = new URL("../door", self.location).pathname;

const fetched = async (request) => {
  const kept = await caches.open(CACHE);
  const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE) });
  // Who may no longer be here keeps no copy either.
  if (answer.ok && !answer.redirected) await kept.put(request.url, answer.clone());
  else if (answer.status < 500) await kept.delete(request.url);
  return answer;
};
const kept = async (request) => (await caches.open(CACHE)).match(request.url);

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  const missing = () => kept(request).then((found) => found ?? Response.error());
  if (request.mode === "navigate" && pathname === page) event.respondWith(fetched(request).catch(missing));
  // The content of a file with such a name never changes.
  else if (pathname.startsWith("/assets/"))
    event.respondWith(kept(request).then((found) => found ?? fetched(request)));
});
