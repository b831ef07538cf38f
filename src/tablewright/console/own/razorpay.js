// Razorpay's own checkout, opened by a button of ours. What it gives at the end is sent with the
// page's form, and proved on the server: nothing here is believed.
"use strict";
(() => {
  const button = document.querySelector("[data-razorpay]");
  const form = document.getElementById("razorpay-done");
  const state = document.querySelector("[data-razorpay-state]");
  if (!button || !form) return;

  const say = (text) => {
    state.textContent = text;
  };
  const handler = (given) => {
    for (const name of ["razorpay_order_id", "razorpay_payment_id", "razorpay_signature"])
      form.elements[name].value = given[name];
    say("Checking the payment…");
    form.requestSubmit();
  };
  const open = () => {
    const checkout = new Razorpay({
      ...JSON.parse(button.dataset.razorpay),
      handler,
      modal: { ondismiss: () => say("Nothing was paid. You can try again while your seat is held.") },
    });
    checkout.on("payment.failed", (told) => say(`It did not work: ${told.error.description}`));
    checkout.open();
  };
  button.addEventListener("click", () => {
    if (typeof Razorpay === "function") open();
    else say("Razorpay cannot be reached. Check your connection, and load the page again.");
  });
  button.disabled = false;
})();
