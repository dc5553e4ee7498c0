// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// What the person does to a list: shown at once, then written, taken back with a message on refusal.

import { post, transact } from "./api.js";
import { counted } from "./dom.js";
import { plus } from "./model.js";

export class Actions {
  constructor(model, messages, readAgain) {
    this.model = model;
    this.messages = messages;
    this.readAgain = readAgain;
  }

  /**
   * Shows a change, sends its operations, and waits with `keys` (pairs of item id and cell).
   * @returns the reply, or `null` when it was refused.
   */
  async write(keys, show, ops) {
    for (const [id, key] of keys) this.model.wait(id, key);
    show();
    let refusal = null;
    let reply = null;
    try { reply = await transact(...ops); } catch (problem) { refusal = problem; }
    for (const [id, key] of keys) this.model.answered(id, key);
    if (!refusal) return reply;
    this.messages.trouble(refusal);
    this.readAgain();
    return null;
  }

  /**
   * Adds rows in their order, as one step. Their ids are made of the `nonce`, those behind the first by
   * counting, so that the same call again adds nothing twice.
   */
  async add(rows, nonce) {
    const model = this.model;
    const list = model.list;
    let after = model.roots.at(-1) ?? null;
    const items = rows.map((row, index) => {
      const id = nonce + index.toString(16).padStart(8, "0");
      const item = model.add({ id, handle: "", state: "open", ...row }, null, after);
      model.wait(id, "life");
      after = id;
      return item;
    });
    const [first, ...rest] = rows;
    const op = { op: "add", list: list.id, rows: [{ ...first, id: nonce + "00000000" }, ...rest] };
    try {
      const reply = await post("txn", { ops: [op] }, true);
      // It was there: an answer that did not come through.
      if (!reply.changed) this.readAgain();
      const touched = reply.items.filter((one) => one.op === "add");
      for (const [index, one] of touched.entries()) {
        const item = items[index];
        if (model.get(item.id) !== item) continue;
        if (item.id !== one.id && !model.get(one.id)) model.rename(item, one.id);
        item.handle = one.handle;
        model.answered(item.id, "life");
      }
      if (items.length > 1) {
        this.messages.show(`Added ${counted(items.length, "item")}`, { undo: () => this.undo(reply.txn) });
      }
      this.messages.say(items.length > 1 ? `Added ${items.length} items` : `Added ${items[0].text}`);
      return reply;
    } catch (refusal) {
      for (const item of items) if (model.get(item.id) === item) model.remove(item);
      this.readAgain();
      throw refusal;
    }
  }

  /** Adds rows of several levels as one step; they are shown once the agent has them. */
  async addTree(rows) {
    const reply = await post("txn", { ops: [{ op: "add", list: this.model.list.id, rows }] });
    this.readAgain();
    this.messages.show(`Added ${counted(rows.length, "item")}`, { undo: () => this.undo(reply.txn) });
    this.messages.say(`Added ${rows.length} items`);
    return reply;
  }

  tick(item, isDone) {
    this.messages.say(`${item.text}, ${isDone ? "done" : "open again"}`);
    return this.write(
      [[item.id, "done"]], () => this.model.setDone(item, isDone),
      [{ op: isDone ? "done" : "undone", item: item.id }]);
  }

  setText(item, text) {
    if (text === item.text) return null;
    return this.write(
      [[item.id, "text"]], () => this.model.setText(item, text),
      [{ op: "set", item: item.id, text }]);
  }

  /** Sets or clears (`null`) a column. */
  setCell(item, name, value) {
    return this.write(
      [[item.id, "col:" + name]], () => this.model.setCell(item, name, value),
      [{ op: "set", item: item.id, cols: { [name]: value } }]);
  }

  count(item, name, by) {
    return this.write(
      [[item.id, "col:" + name]],
      () => this.model.setCell(item, name, plus(item.cols[name] ?? 0, by)),
      [{ op: "set", item: item.id, cols: { [name]: { inc: by } } }]);
  }

  setNote(item, note) {
    return this.write([[item.id, "note"]], () => {}, [{ op: "set", item: item.id, note }]);
  }

  // MARK: Places

  /** Moves behind `after` (`null`: first) below `parent`; says where it is then. */
  async move(item, parent, after) {
    const model = this.model;
    const first = model.kids(parent).find((id) => id !== item.id);
    const op = { op: "move", list: model.list.id, item: item.id };
    if (after) op.after = after;
    else if (first) op.before = first;
    else if (parent) op.parent = parent;
    else return null;
    const answer = this.write(
      [[item.id, "place"]], () => model.place(item, parent, after), [op]);
    this.sayPlace(item);
    return answer;
  }

  sayPlace(item) {
    const beside = this.model.siblings(item);
    const inside = item.parent ? ` in ${this.model.get(item.parent).text}` : "";
    this.messages.say(`${item.text}, ${beside.indexOf(item.id) + 1} of ${beside.length}${inside}`);
  }

  /** Moves by rows among its siblings: -1 up, 1 down; more go as far as there are rows. */
  step(item, by) {
    const beside = this.model.siblings(item);
    const at = beside.indexOf(item.id);
    return this.toPosition(item, Math.max(0, Math.min(beside.length - 1, at + by)));
  }

  /** Moves to a position among its siblings, from 0. */
  toPosition(item, to) {
    const beside = this.model.siblings(item);
    const at = beside.indexOf(item.id);
    if (to === at || to < 0 || to >= beside.length) return null;
    const rest = beside.filter((id) => id !== item.id);
    if (to > 0) return this.move(item, item.parent, rest[to - 1]);
    const kids = this.model.kids(item.parent).filter((id) => id !== item.id);
    return this.move(item, item.parent, kids[kids.indexOf(rest[0]) - 1] ?? null);
  }

  /** Below the row before it. */
  nest(item) {
    const beside = this.model.siblings(item);
    const above = beside[beside.indexOf(item.id) - 1];
    if (!above) return null;
    return this.move(item, above, this.model.kids(above).at(-1) ?? null);
  }

  /** Behind the row that it is in. */
  unnest(item) {
    if (!item.parent) return null;
    return this.move(item, this.model.get(item.parent).parent, item.parent);
  }

  async toList(item, list) {
    const model = this.model;
    const from = { list: model.list.id, name: model.list.name };
    const reply = await this.write(
      [[item.id, "place"]], () => model.remove(item),
      [{ op: "move", list: from.list, item: item.id, to: list.id, after: "bottom" }]);
    if (reply) this.messages.show(`Moved “${item.text}” to ${list.name}`, { undo: () => this.undo(reply.txn) });
  }

  // MARK: Deleting

  async remove(item) {
    const model = this.model;
    const hidden = model.subtree(item.id).length - 1;
    item.isLeaving = true;
    const reply = await this.write(
      [[item.id, "life"]], () => model.remove(item), [{ op: "rm", item: item.id }]);
    if (!reply) return;
    const more = hidden ? ` and ${counted(hidden, "item")} in it` : "";
    this.messages.show(`Deleted “${item.text}”${more}`, { undo: () => this.restore(item.id) });
  }

  async restore(id) {
    try {
      await transact({ op: "restore", item: id });
      this.messages.say("Restored");
      this.readAgain();
    } catch (refusal) { this.messages.trouble(refusal); }
  }

  /** Takes back a step of this device: the named one, else the last. */
  undo(txn) { return this.again("undo", txn, "Undone"); }

  /** Does again what the last undo took back. */
  redo() { return this.again("redo", undefined, "Done again"); }

  async again(path, txn, word) {
    try {
      const reply = await post(path, txn ? { txn } : {});
      const [stay] = reply.stayed;
      if (stay) this.messages.show(`“${stay.text}” stayed as it is: ${stay.why}`);
      this.messages.say(reply.changed ? word : "Nothing to do");
      this.readAgain();
    } catch (refusal) { this.messages.trouble(refusal); }
  }
}
