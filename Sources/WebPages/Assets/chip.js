// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The chip that says how true the screen is, and the list of peers behind it.

import { ago, el, icon } from "./dom.js";

const words = { in_sync: "in step", syncing: "sending", connecting: "connecting", offline: "offline", never_met: "not met yet" };

/** How a peer is doing, as one phrase; what is not known is not claimed. */
export function peerPhrase(peer) {
  if (peer.state === "syncing" && !peer.to_send) return "receiving";
  const left = peer.to_send ? `, ${peer.to_send} to send` : "";
  const seen = peer.state === "offline" && peer.last_contact ? `, seen ${ago(peer.last_contact)}` : "";
  return (words[peer.state] ?? peer.state) + left + seen;
}

export class Chip {
  constructor(place, guest) {
    this.guest = guest;
    this.text = el("span", { class: "chip-text", role: "status", id: "chip" }, "Connecting…");
    this.button = el(
      "button", { type: "button", class: "chip-more", "aria-label": "Peers", "aria-expanded": "false", on: { click: () => this.toggle() } },
      icon("chevron"));
    this.button.hidden = guest;
    this.body = el("div", { class: "chip", "data-phase": "starting" }, el("span", { class: "dot" }), this.text, this.button);
    place.replaceWith(this.body);
    this.phase = "starting";
    this.status = null;
    document.addEventListener("pointerdown", (event) => {
      if (this.panel && !this.panel.contains(event.target) && !this.body.contains(event.target)) this.close();
    });
  }

  /** `phase` of the stream, and when the agent last answered. */
  state({ phase, since }) {
    this.phase = phase;
    this.since = since;
    this.draw();
  }

  peers(status) {
    this.status = status;
    this.draw();
    if (this.panel) this.fillPanel();
  }

  get sentence() {
    const clock = this.since?.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
    switch (this.phase) {
      case "refused": return this.guest ? "This link is over" : "Signed out: run hedge web";
      case "stopped": return `Agent stopped: showing ${clock} copy`;
      case "reconnecting": return "Reconnecting…";
      case "starting": return "Connecting…";
    }
    if (!this.status) return "Live";
    if (this.status.agent?.paused) return "Live · off the network";
    const { peers } = this.status;
    if (!peers.length) return "Live · only this device";
    const current = peers.filter((peer) => peer.state === "in_sync").length;
    if (current === peers.length) return peers.length === 1 ? `Live · in step with ${peers[0].name}` : `Live · in step with all ${current}`;
    return `Live · ${current} of ${peers.length} in step`;
  }

  draw() {
    const isCurrent = this.status?.peers?.every((peer) => peer.state === "in_sync");
    this.body.dataset.phase = this.phase === "live" && this.status?.peers?.length && !isCurrent ? "partial" : this.phase;
    const text = this.sentence;
    if (this.text.textContent === text) return;
    const [head, more] = text.split(" · ");
    this.text.replaceChildren(head, ...(more ? [el("span", { class: "chip-more-text" }, ` · ${more}`)] : []));
  }

  toggle() {
    if (this.panel) return this.close(true);
    this.panel = el("div", {
      class: "panel-peers", role: "dialog", "aria-label": "Peers", tabIndex: -1,
      on: { keydown: (event) => { if (event.key === "Escape") this.close(true); } },
    });
    this.body.after(this.panel);
    this.fillPanel();
    this.button.setAttribute("aria-expanded", "true");
    this.panel.focus();
  }

  fillPanel() {
    const status = this.status;
    this.panel.replaceChildren(
      el("p", { class: "panel-self" }, status ? el("strong", { dir: "auto" }, status.name) : "This device",
        el("span", {}, status ? " · this device" : "")),
      peerList(status?.peers ?? []),
      ...(status?.warnings ?? []).map((warning) => el("p", { class: "warning" }, warning.text)),
      el("p", { class: "fine" }, this.phase === "live" ? "Changes arrive as they are made."
        : `The agent last answered ${this.since ? ago(this.since) : "never"}.`));
  }

  close(returnsFocus = false) {
    this.panel?.remove();
    this.panel = null;
    this.button.setAttribute("aria-expanded", "false");
    if (returnsFocus) this.button.focus();
  }
}

/** What else is known of a peer, for those who look closer. */
function peerFacts(peer) {
  const rtt = peer.rtt_ms === null ? null : `${peer.rtt_ms} ms`;
  const seen = peer.last_contact ? `last contact ${ago(peer.last_contact)}` : "never met";
  return [peer.role, peer.address, rtt, seen, peer.version && `version ${peer.version}`, peer.device].filter(Boolean).join(" · ");
}

export function peerList(peers, hasFacts = false) {
  if (!peers.length) return el("p", { class: "fine" }, "No peer yet. ", el("code", {}, "hedge invite"), " prints a code for another machine.");
  return el("ul", { role: "list", class: "peers" }, ...peers.map((peer) => el(
    "li", { "data-state": peer.state }, el("span", { class: "dot" }),
    el("strong", { dir: "auto" }, peer.name), el("span", { class: "peer-state" }, peerPhrase(peer)),
    hasFacts ? el("span", { class: "fine" }, peerFacts(peer)) : null)));
}
