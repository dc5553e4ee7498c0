// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Events of the agent, folded into the list that is shown.

import { client } from "./api.js";
import { difference } from "./model.js";

const badgeTime = 20000;
const burstTime = 100;

/** Folds events into a model. `told(event, item)` hears of those of others that are shown. */
export class Folder {
  constructor(model, told, readAgain) {
    this.model = model;
    this.told = told;
    this.readAgain = readAgain;
    this.lastMove = -Infinity;
  }

  take(events) {
    for (const event of events) this.fold(event);
  }

  fold(event) {
    const model = this.model;
    if (!model.list || event.ev === "list") return;
    const item = model.get(event.id);
    const isOwn = event.client === client;
    switch (event.ev) {
      case "add": this.add(event, item, isOwn); break;
      case "restore":
        if (event.list === model.list.name && !item) this.readAgain();
        break;
      case "rm":
        if (item && !model.isHeld(item, "life", isOwn)) {
          if (!isOwn) this.told(event, { ...item });
          model.remove(item);
        }
        break;
      case "mv": this.move(event, item, isOwn); break;
      case "done": case "undone":
        if (!item || model.isHeld(item, "done", isOwn)) break;
        if (item.isDone !== (event.ev === "done")) model.setDone(item, event.ev === "done");
        this.signed(event, item, isOwn);
        break;
      case "set": this.set(event, item, isOwn); break;
    }
  }

  signed(event, item, isOwn) {
    item.by = event.by;
    item.at = event.at;
    if (!isOwn) this.told(event, item);
  }

  add(event, item, isOwn) {
    const model = this.model;
    if (event.list !== model.list.name) return;
    if (item) {
      item.handle = event.handle;
      model.answered(item.id, "life");
      return;
    }
    if (isOwn) {
      const foreseen = [...model.items.values()].find((one) =>
        !one.handle && one.pending.get("life") && one.text === event.text);
      if (foreseen) {
        model.rename(foreseen, event.id);
        foreseen.handle = event.handle;
        model.answered(event.id, "life");
        return;
      }
    }
    if (event.parent && !model.get(event.parent)) return this.readAgain();
    if (event.after && !model.get(event.after)) this.readAgain();
    const fresh = model.add(event, event.parent, event.after);
    this.signed(event, fresh, isOwn);
  }

  move(event, item, isOwn) {
    const model = this.model;
    const isHere = event.list === model.list.name && (!event.parent || model.get(event.parent));
    if (!item) {
      if (isHere) this.readAgain();
      return;
    }
    if (model.isHeld(item, "place", isOwn)) return;
    if (!isHere) {
      if (!isOwn) this.told(event, { ...item });
      model.remove(item);
      return;
    }
    // Places in one burst are those after all of it: where several moved, the order is read again.
    const now = performance.now();
    if (!isOwn && now - this.lastMove < burstTime) this.readAgain();
    this.lastMove = now;
    if (event.after && !model.get(event.after)) this.readAgain();
    const kids = model.kids(item.parent);
    const before = kids[kids.indexOf(item.id) - 1] ?? null;
    if (item.parent !== event.parent || before !== event.after) {
      model.place(item, event.parent, event.after);
    }
    this.signed(event, item, isOwn);
  }

  set(event, item, isOwn) {
    const model = this.model;
    if (!item) return;
    if (event.col === "text") {
      if (model.isHeld(item, "text", isOwn)) return;
      if (item.text !== event.new) model.setText(item, event.new);
    } else if (model.column(event.col)) {
      if (model.isHeld(item, "col:" + event.col, isOwn)) return;
      model.setCell(item, event.col, event.new);
      if (!isOwn) this.mark(item, event);
    }
    this.signed(event, item, isOwn);
  }

  /** Shows for a while by how much a number changed, and who did it. */
  mark(item, event) {
    const change = difference(event.old, event.new, this.model.decimals.get(event.col));
    if (!change) return;
    const badge = { ...change, column: event.col, by: event.by, until: Date.now() + badgeTime };
    item.badge = badge;
    this.model.touched(item);
    setTimeout(() => {
      const now = this.model.get(item.id);
      if (now?.badge !== badge) return;
      now.badge = null;
      this.model.touched(now);
    }, badgeTime);
  }
}
