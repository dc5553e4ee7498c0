// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The switch of a row or list that makes this device tell of changes by others.

import { get, post } from "./api.js";

export class Notices {
  constructor(rows, messages) {
    this.rows = rows;
    this.messages = messages;
  }

  /** Reads which rows and lists have a rule of their own. */
  async load() { this.take(await get("notify")); }

  take(reply) {
    const before = this.rows.watched;
    this.settings = reply;
    this.rows.watched = new Set(reply.rules.map((rule) => rule.id));
    for (const id of new Set([...before, ...this.rows.watched])) {
      const item = this.rows.model.get(id);
      if (item) this.rows.model.touched(item);
    }
  }

  /** An entry for a menu; none before the agent has said what is switched on. */
  entry(target, id, name) {
    if (!this.settings) return [];
    const isOn = this.rows.watched.has(id);
    return [{ name: isOn ? "Notify no more" : "Notify me of changes", act: () => this.turn(target, name, !isOn) }];
  }

  async turn(target, name, isOn) {
    try {
      const reply = await post(isOn ? "notify" : "notify/off", target);
      this.take(reply);
      const hasSink = reply.desktop || reply.exec || reply.post;
      this.messages.show(!isOn ? `No more notices about “${name}”`
        : hasSink ? `This device tells of changes to “${name}” by others`
        : `Switched on for “${name}”. Say where notices go: hedge notify to --desktop on`);
    } catch (refusal) { this.messages.trouble(refusal); }
  }
}
