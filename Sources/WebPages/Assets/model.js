// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// One list as this tab knows it: items by id, their order, and which cells wait for an answer.
// No element in here; what changed is told through `onchange(id | null, parent | null)`.

/** More columns than these are in the details of an item only. */
const shownMax = 5;

export class Model {
  constructor() {
    this.clear();
    this.touched = () => {};
    this.reordered = () => {};
  }

  clear() {
    this.list = null;
    this.items = new Map();
    this.roots = [];
    this.columns = [];
    this.shown = [];
    this.decimals = new Map();
  }

  /** Takes the answer of `…/items?show=all&shape=tree` and the row of the list. */
  load(reply, row) {
    const before = this.items;
    const isSame = this.list?.id === reply.list.id;
    this.list = reply.list;
    const title = row?.title ?? undefined;
    this.title = title ?? "item";
    this.columns = (row?.columns ?? []).filter((column) => column.name !== title);
    this.shown = this.columns.slice(0, shownMax);
    this.decimals.clear();
    this.items = new Map();
    this.roots = [];
    for (const one of reply.items) {
      const old = isSame ? before.get(one.id) : undefined;
      this.insert(one, old);
      this.kids(one.parent).push(one.id);
    }
    for (const [id, old] of isSame ? before : []) {
      if (this.items.has(id)) continue;
      if (old.pending.get("life") && !old.isLeaving) {
        this.items.set(id, old);
        this.kids(this.items.has(old.parent) ? old.parent : null).push(id);
      }
    }
    this.reordered(null);
    for (const item of this.items.values()) {
      this.touched(item);
      if (item.kids.length) this.reordered(item.id);
    }
  }

  insert(one, old) {
    const item = {
      id: one.id, handle: one.handle, text: one.text, isDone: one.state === "done",
      cols: this.cells(one.cols), parent: one.parent ?? null, kids: [], at: one.at, by: one.by,
      pending: old?.pending ?? new Map(), badge: old?.badge ?? null,
    };
    if (old) {
      if (old.pending.get("text")) item.text = old.text;
      if (old.pending.get("done")) item.isDone = old.isDone;
      for (const name of Object.keys(old.cols)) {
        if (old.pending.get("col:" + name)) item.cols[name] = old.cols[name];
      }
    }
    this.items.set(item.id, item);
    for (const column of this.columns) this.widen(column, item.cols[column.name]);
    return item;
  }

  cells(cols) {
    const cells = {};
    for (const column of this.columns) {
      const value = cols?.[column.name];
      if (value !== undefined && value !== null) cells[column.name] = value;
    }
    return cells;
  }

  /** Digits behind the point in a column, so that its numbers stand below each other. */
  widen(column, value) {
    if (column.type !== "num" || value === undefined) return;
    const digits = String(value).split(".")[1]?.length ?? 0;
    if (digits <= (this.decimals.get(column.name) ?? 0) || digits > 4) return;
    this.decimals.set(column.name, digits);
    for (const item of this.items.values()) this.touched(item);
  }

  get(id) { return this.items.get(id); }
  column(name) { return this.columns.find((column) => column.name === name); }

  /** The ids below a parent, in order; a live array. */
  kids(parent) { return (parent && this.items.get(parent)?.kids) || this.roots; }

  /** The siblings that are shown as rows beside an item: at the top, open and settled ones are apart. */
  siblings(item) {
    const all = this.kids(item.parent);
    if (item.parent) return all;
    const isSettled = this.isSettled(item.id);
    return all.filter((id) => this.isSettled(id) === isSettled);
  }

  /** Whether an item and all that is under it is done. */
  isSettled(id) {
    const item = this.items.get(id);
    return item.isDone && item.kids.every((kid) => this.isSettled(kid));
  }

  get openCount() { return this.roots.filter((id) => !this.isSettled(id)).length; }
  get doneCount() { return this.roots.length - this.openCount; }

  /** Every id below an item, and its own. */
  subtree(id) {
    const out = [id];
    for (let at = 0; at < out.length; at++) out.push(...(this.items.get(out[at])?.kids ?? []));
    return out;
  }

  isInside(id, ancestor) {
    for (let at = id; at; at = this.items.get(at)?.parent) if (at === ancestor) return true;
    return false;
  }

  // MARK: What this tab writes

  /** Marks a cell of an item as waiting for an answer. */
  wait(id, key) {
    const item = this.items.get(id);
    if (!item) return;
    item.pending.set(key, (item.pending.get(key) ?? 0) + 1);
    this.touched(item);
  }

  answered(id, key) {
    const item = this.items.get(id);
    if (!item) return;
    const left = (item.pending.get(key) ?? 1) - 1;
    if (left > 0) item.pending.set(key, left); else item.pending.delete(key);
    this.touched(item);
  }

  /** Whether an event about a cell has to wait: a later write of this tab stands above it. */
  isHeld(item, key, isOwn) {
    return (item.pending.get(key) ?? 0) > (isOwn ? 1 : 0);
  }

  // MARK: Changes, own and foreign

  setText(item, text) {
    item.text = text;
    this.touched(item);
  }

  setDone(item, isDone) {
    item.isDone = isDone;
    this.touched(item);
    this.reordered(item.parent);
    this.sorted(item.parent);
  }

  /** What is under a row at the top tells whether that stands among the open ones. */
  sorted(parent) { if (parent) this.reordered(null); }

  setCell(item, name, value) {
    if (value === null || value === undefined) delete item.cols[name]; else item.cols[name] = value;
    const column = this.column(name);
    if (column) this.widen(column, item.cols[name]);
    this.touched(item);
  }

  /** Puts an item behind `after` (`null`: first) below `parent` (`null`: the list). */
  place(item, parent, after) {
    this.unplace(item);
    item.parent = parent && this.items.has(parent) ? parent : null;
    const kids = this.kids(item.parent);
    const at = after === null ? 0 : kids.indexOf(after) + 1;
    kids.splice(after !== null && at === 0 ? kids.length : at, 0, item.id);
    this.reordered(item.parent);
    this.sorted(item.parent);
    this.touched(item);
  }

  unplace(item) {
    const kids = this.kids(item.parent);
    const at = kids.indexOf(item.id);
    if (at >= 0) kids.splice(at, 1);
    this.reordered(item.parent);
    this.sorted(item.parent);
    const parent = item.parent && this.items.get(item.parent);
    if (parent) this.touched(parent);
  }

  add(one, parent, after) {
    const item = this.insert({ ...one, parent });
    this.place(item, parent, after);
    return item;
  }

  remove(item) {
    this.unplace(item);
    for (const id of this.subtree(item.id)) this.items.delete(id);
  }

  /** The agent gave an item of ours another id than we foresaw. */
  rename(item, id) {
    const kids = this.kids(item.parent);
    kids[kids.indexOf(item.id)] = id;
    this.items.delete(item.id);
    item.id = id;
    this.items.set(id, item);
    this.reordered(item.parent);
    this.touched(item);
  }
}

/** A whole number and a step; text where a number has no room for it, as the agent's answers have it. */
export function plus(value, by) {
  const sum = BigInt(value) + BigInt(by);
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
}

/**
 * The difference of two decimal numbers as text with its sign, with so many places at least, and its
 * share of the first; `null` where one is no number.
 */
export function difference(from, to, places = 0) {
  const shape = /^(-?)(\d+)(?:\.(\d+))?$/;
  const [a, b] = [shape.exec(String(from)), shape.exec(String(to))];
  if (!a || !b) return null;
  const digits = Math.max((a[3] ?? "").length, (b[3] ?? "").length, places);
  const scaled = (part) =>
    BigInt(part[1] + part[2] + (part[3] ?? "").padEnd(digits, "0"));
  const delta = scaled(b) - scaled(a);
  if (delta === 0n) return null;
  const plain = (delta < 0n ? -delta : delta).toString().padStart(digits + 1, "0");
  const whole = plain.slice(0, plain.length - digits);
  const text = digits ? `${whole}.${plain.slice(-digits)}` : whole;
  const percent = Math.abs((Number(to) - Number(from)) / Number(from)) * 100;
  return {
    isUp: delta > 0n, text: (delta > 0n ? "+" : "\u2212") + text,
    share: percent < 1000 ? `${percent.toFixed(1)} %` : "",
  };
}
