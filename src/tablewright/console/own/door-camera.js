// QR codes from the camera: by the browser's own detector, or where it has none by a decoder that
// is loaded then. The same code is told once, until it has been out of sight for a while.
"use strict";
(() => {
  const PAUSE = 120;
  const AWAY = 2500;
  const WIDEST = 800;

  const own = async () => {
    if (!("BarcodeDetector" in window)) return null;
    const formats = await BarcodeDetector.getSupportedFormats().catch(() => []);
    if (!formats.includes("qr_code")) return null;
    const detector = new BarcodeDetector({ formats: ["qr_code"] });
    return async (video) => (await detector.detect(video))[0]?.rawValue ?? "";
  };

  const loaded = (url) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = url;
      script.onload = resolve;
      script.onerror = () => reject(new Error("The decoder could not be loaded."));
      document.head.append(script);
    });
  const drawn = async (url) => {
    if (!window.jsQR) await loaded(url);
    const canvas = document.createElement("canvas");
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    return async (video) => {
      const scale = Math.min(1, WIDEST / video.videoWidth);
      const [width, height] = [video.videoWidth * scale, video.videoHeight * scale].map(Math.round);
      Object.assign(canvas, { width, height });
      pen.drawImage(video, 0, 0, width, height);
      const { data } = pen.getImageData(0, 0, width, height);
      return window.jsQR(data, width, height, { inversionAttempts: "dontInvert" })?.data ?? "";
    };
  };

  class Camera {
    constructor(video, decoder, found) {
      this.video = video;
      this.decoder = decoder;
      this.found = found;
      this.last = { text: "", at: 0 };
    }
    static get possible() {
      return Boolean(navigator.mediaDevices?.getUserMedia);
    }
    async start() {
      const wanted = { facingMode: { ideal: "environment" }, width: { ideal: 1280 } };
      this.stream = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
      this.video.srcObject = this.stream;
      await this.video.play();
      this.read = (await own()) ?? (await drawn(this.decoder));
      this.look();
    }
    stop() {
      clearTimeout(this.timer);
      for (const track of this.stream?.getTracks() ?? []) track.stop();
      this.stream = this.video.srcObject = null;
    }
    async look() {
      if (!this.stream) return;
      if (!document.hidden && this.video.videoWidth) this.tell(await this.read(this.video).catch(() => ""));
      this.timer = setTimeout(() => this.look(), PAUSE);
    }
    tell(text) {
      if (!text) return;
      const now = performance.now();
      const again = text === this.last.text && now - this.last.at < AWAY;
      this.last = { text, at: now };
      if (!again) this.found(text);
    }
    get track() {
      return this.stream?.getVideoTracks()[0];
    }
    get hasTorch() {
      return Boolean(this.track?.getCapabilities?.().torch);
    }
    torch(on) {
      return this.track?.applyConstraints({ advanced: [{ torch: on }] });
    }
  }
  window.twDoor = { ...window.twDoor, Camera };
})();
