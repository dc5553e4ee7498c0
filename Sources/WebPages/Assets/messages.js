// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Messages to the person: the bar with Undo at the foot, and the live region.

import { el, icon } from "./dom.js";

const undoTime = 10000;

export class Messages {
  constructor() {
    this.polite = el("div", { class: "out-of-sight", "aria-live": "polite", id: "say" });
    this.bar = el("div", { class: "bars", role: "region", "aria-label": "Messages" });
    document.body.append(this.polite, this.bar);
    this.queue = [];
  }

  /** Says something to those who do not see it happen. */
  say(text) {
    this.polite.append(el("p", {}, text));
    while (this.polite.childElementCount > 3) this.polite.firstElementChild.remove();
    clearTimeout(this.clearing);
    this.clearing = setTimeout(() => this.polite.replaceChildren(), 6000);
  }

  /** A bar that goes away by itself, later while it is looked at; `act` gives it a button, `name` its word. */
  show(text, { undo, act = undo, name = "Undo", isTrouble = false } = {}) {
    const close = () => {
      clearTimeout(timer);
      bar.remove();
    };
    const bar = el(
      "div", { class: isTrouble ? "bar trouble" : "bar", role: isTrouble ? "alert" : "status" },
      el("span", { class: "bar-text", dir: "auto" }, text),
      act && el(
        "button", { type: "button", class: "bar-undo", on: { click: () => { close(); act(); } } },
        name),
      el("button",
        { type: "button", class: "icon-button", "aria-label": "Close message", on: { click: close } },
        icon("close")));
    let timer = setTimeout(close, undoTime);
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(() => (bar.matches(":hover, :focus-within") ? again() : close()), undoTime);
    };
    bar.addEventListener("focusin", again);
    bar.addEventListener("pointerenter", again);
    while (this.bar.childElementCount >= 2) this.bar.firstElementChild.remove();
    this.bar.append(bar);
    return bar;
  }

  /** What went wrong, in the words of the agent. */
  trouble(refusal) { this.show(refusal.words ?? refusal.message, { isTrouble: true }); }
}
