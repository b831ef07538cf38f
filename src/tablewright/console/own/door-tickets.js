// Tickets, checked without asking anybody: CK1.<event>.<participant>.<version>.<signature>.
//
// The page brings the public keys (Ed25519), so a door without a network still knows a forged
// ticket. It cannot know whether the team has paid or the ticket was replaced: the server does.
"use strict";
(() => {
  const MOST = 250;
  const TICKET =
    /^(CK1\.([a-z0-9]+(?:-[a-z0-9]+)*)\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[1-9][0-9]{0,8})\.([A-Za-z0-9_-]{86})$/;
  const urlsafe = (text) => text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const bytes = (text) => {
    const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(raw, (sign) => sign.charCodeAt(0));
  };
  // The last character of a signature has bits that mean nothing: only one spelling is taken.
  const spelledRight = (signature) =>
    urlsafe(btoa(String.fromCharCode(...bytes(signature)))) === signature;

  const imported = async ({ x }) => {
    const key = { kty: "OKP", crv: "Ed25519", x };
    return crypto.subtle.importKey("jwk", key, { name: "Ed25519" }, false, ["verify"]);
  };

  class TicketReader {
    constructor(jwks) {
      const ours = jwks.keys.filter((key) => key.kty === "OKP" && key.crv === "Ed25519");
      // Older browsers know no Ed25519, and none has crypto.subtle without https.
      this.keys = Promise.resolve()
        .then(() => Promise.all(ours.map(imported)))
        .catch(() => null);
    }
    // What a text says it is; null if it is no ticket at all.
    parts(text) {
      const found = text.length <= MOST ? TICKET.exec(text) : null;
      return found && { signed: found[1], event: found[2], person: found[3], signature: found[4] };
    }
    // Whether we signed it: true, false, or null where this browser cannot tell.
    async isOurs({ signed, signature }) {
      if (!spelledRight(signature)) return false;
      const keys = await this.keys;
      if (!keys) return null;
      const data = new TextEncoder().encode(signed);
      const asked = keys.map((key) =>
        crypto.subtle.verify({ name: "Ed25519" }, key, bytes(signature), data),
      );
      return (await Promise.all(asked)).includes(true);
    }
  }
  window.twDoor = { ...window.twDoor, TicketReader };
})();
