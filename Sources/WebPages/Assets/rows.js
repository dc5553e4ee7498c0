// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The rows on the screen: one element per item, kept by id, put in order when the order changed.

import { countOf, firstRow, put, rowAfter, rowsOf, tidy } from "./blocks.js";
import { counted, el, icon } from "./dom.js";

const firstRows = 80;
const sliceTime = 10;
const laterSliceTime = 35;

/** How a value of a column reads. */
export function shown(column, value, decimals = 0) {
  if (value === undefined || value === null) return "";
  switch (column.type) {
    case "bool": return value === true || value === "true" ? "yes" : "no";
    case "num": {
      const [whole, part = ""] = String(value).split(".");
      const digits = part.padEnd(decimals, "0");
      return digits ? `${whole}.${digits}` : whole;
    }
    case "time": {
      const at = new Date(value);
      return Number.isNaN(at.valueOf()) ? String(value)
        : at.toLocaleString([], { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
          ...(at.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" }) });
    }
    case "date": {
      const day = new Date(`${value}T12:00:00`);
      return Number.isNaN(day.valueOf()) ? String(value)
        : day.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
    }
    default: return String(value);
  }
}

const isNumber = (column) => ["int", "num", "counter"].includes(column.type);

const cellTemplate = (column, isFixed) => {
  const cell = isFixed ? el("span", { class: "cell", role: "group", "data-col": column.name })
    : el("button", { type: "button", class: "cell", "data-col": column.name });
  if (isNumber(column)) cell.classList.add("number");
  return cell;
};

export class Rows {
  /** `open` and `done` are the two list elements of the top level; `guest` as in `App`. */
  constructor(model, open, done, guest) {
    this.model = model;
    this.guest = guest;
    this.open = open;
    this.done = done;
    this.elements = new Map();
    this.dirty = new Set();
    this.unordered = new Set();
    this.showsDone = false;
    this.watched = new Set();
    this.order = null;
    this.filter = "";
    model.touched = (item) => { this.dirty.add(item); this.plan(); };
    model.reordered = (parent) => { this.unordered.add(parent); this.plan(); };
  }

  /** Forgets all rows: another list is shown. */
  clear() {
    this.elements.clear();
    this.open.replaceChildren();
    this.done.replaceChildren();
    this.dirty.clear();
    this.unordered.clear();
    this.makeTemplate();
  }

  plan() {
    if (this.planned) return;
    this.planned = true;
    if (document.hidden) setTimeout(() => this.flush()); else requestAnimationFrame(() => this.flush());
  }

  /** Brings the screen in step with the model. */
  flush() {
    this.planned = false;
    const keep = this.focus();
    const anchor = this.anchor();
    const dirty = [...this.dirty];
    const parents = [...this.unordered];
    this.dirty.clear();
    this.unordered.clear();
    const deadline = performance.now() + (this.isFilling ? laterSliceTime : sliceTime);
    for (const item of dirty) {
      const row = this.elements.get(item.id);
      if (row && this.model.get(item.id)) this.fill(row, this.model.get(item.id));
    }
    for (const parent of parents) {
      if (parent === null) this.arrangeTop(deadline);
      else this.arrangeBelow(parent, deadline);
    }
    this.drop();
    this.hold(anchor);
    keep();
    this.onflush?.();
  }

  // MARK: Order

  arrangeTop(deadline) {
    const ids = this.view(this.model.roots);
    const isFirst = !this.open.childElementCount;
    const open = ids.filter((id) => !this.model.isSettled(id));
    this.arrange(this.open, open, deadline, isFirst ? firstRows : 0, null);
    if (this.showsDone) {
      this.arrange(this.done, ids.filter((id) => this.model.isSettled(id)), deadline, 0, null);
    } else if (this.done.childElementCount) {
      this.done.replaceChildren();
    }
  }

  arrangeBelow(parent, deadline) {
    const row = this.elements.get(parent);
    const item = this.model.get(parent);
    if (!row || !item) return;
    let below = row.querySelector(":scope > .below");
    if (!item.kids.length) {
      below?.remove();
      return;
    }
    if (!below) {
      below = el("ul", { class: "rows below", role: "list", "aria-label": item.text });
      row.append(below);
    }
    this.arrange(below, this.view(item.kids), deadline, firstRows, parent);
  }

  /** The ids that are shown, in the order of the view: the shared one, or a sorted one. */
  view(ids) {
    let out = ids;
    if (this.filter) out = out.filter((id) => this.matches(id));
    if (!this.order) return out;
    const { column, isDown } = this.order;
    const key = (id) => {
      const item = this.model.get(id);
      return column ? item.cols[column.name] : item.text;
    };
    const numeric = column && isNumber(column);
    const compare = new Intl.Collator([], { numeric: true }).compare;
    return [...out].sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      const sign = numeric ? Number(x) - Number(y) : compare(String(x), String(y));
      return isDown ? -sign : sign;
    });
  }

  matches(id) {
    return this.model.subtree(id).some((one) => {
      const item = this.model.get(one);
      return [item.text, ...Object.values(item.cols)].some((value) =>
        String(value).toLowerCase().includes(this.filter));
    });
  }

  /** Puts the rows of `ids` into `list`; the rest of many new ones follows in slices. */
  arrange(list, ids, deadline, free, parent) {
    let at = firstRow(list);
    let made = 0;
    const wanted = new Set(ids);
    while (at && !wanted.has(at.dataset.id)) at = rowAfter(at);
    for (const id of ids) {
      if (at?.dataset.id === id) {
        at = rowAfter(at);
        while (at && !wanted.has(at.dataset.id)) at = rowAfter(at);
        continue;
      }
      let row = this.elements.get(id);
      if (!row) {
        if (made++ >= free && performance.now() > deadline) {
          this.unordered.add(parent);
          this.later();
          break;
        }
        row = this.make(this.model.get(id));
      }
      put(list, row, at);
    }
    for (const row of countOf(list) > ids.length || this.filter ? rowsOf(list) : []) {
      if (!wanted.has(row.dataset.id)) row.remove();
    }
    tidy(list);
  }

  later() {
    if (this.isLater) return;
    this.isLater = true;
    setTimeout(() => {
      this.isLater = false;
      this.isFilling = true;
      this.flush();
      this.isFilling = false;
    });
  }

  /** Rows of items that are gone. */
  drop() {
    if (this.elements.size === this.model.items.size) return;
    for (const [id, row] of this.elements) {
      if (this.model.get(id)) continue;
      row.remove();
      this.elements.delete(id);
    }
    for (const list of [this.open, this.done]) {
      for (const row of rowsOf(list)) if (!this.elements.has(row.dataset.id)) row.remove();
      tidy(list);
    }
  }

  // MARK: One row

  makeTemplate() {
    const line = el(
      "div", { class: "line" },
      el("button", { type: "button", class: "grip icon-button", "aria-describedby": "grip-help" }),
      el("input", { type: "checkbox", class: "tick", disabled: this.guest === "ro" }),
      el("span", { class: "words" },
        this.guest ? el("span", { class: "text", dir: "auto" }) : el("button", { type: "button", class: "text", dir: "auto" }),
        el("span", { class: "count" }), el("span", { class: "badge" })),
      el("span", { class: "cells" }, ...this.model.shown.map((column) => cellTemplate(column, this.guest))),
      el("button",
        { type: "button", class: "more icon-button", "aria-haspopup": "menu" }));
    this.template = el("li", { class: "row", role: "listitem" }, line);
  }

  make(item) {
    const row = this.template.cloneNode(true);
    row.dataset.id = item.id;
    this.elements.set(item.id, row);
    this.fill(row, item);
    if (item.kids.length) this.arrangeBelow(item.id, Infinity);
    return row;
  }

  parts(row) {
    const line = row.firstElementChild;
    const [grip, tick, words, cells, more] = line.children;
    return { line, grip, tick, words, cells, more, text: words.querySelector(".text") ?? words };
  }

  fill(row, item) {
    row.dataset.id = item.id;
    this.elements.set(item.id, row);
    const { line, grip, tick, words, cells, more } = this.parts(row);
    const [, count, badge] = words.children;
    const name = item.text;
    if (row.dataset.name !== name) {
      row.dataset.name = name;
      grip.setAttribute("aria-label", `Move ${name}`);
      tick.setAttribute("aria-label", name);
      more.setAttribute("aria-label", `More for ${name}`);
      words.firstElementChild.textContent = name;
      row.querySelector(":scope > .below")?.setAttribute("aria-label", name);
    }
    if (tick.checked !== item.isDone) tick.checked = item.isDone;
    row.classList.toggle("is-done", item.isDone);
    this.fillBell(words, this.watched.has(item.id));
    line.classList.toggle("is-pending", item.pending.size > 0);
    const done = item.kids.filter((id) => this.model.get(id)?.isDone).length;
    const summary = item.kids.length ? `${done} of ${item.kids.length}` : "";
    if (count.textContent !== summary) count.textContent = summary;
    for (const [index, column] of this.model.shown.entries()) {
      this.fillCell(cells.children[index], column, item);
    }
    this.fillBadge(badge, item.badge);
  }

  fillCell(cell, column, item) {
    if (!cell) return;
    const value = shown(column, item.cols[column.name], this.model.decimals.get(column.name));
    if (cell.textContent === value && cell.hasAttribute("aria-label")) return;
    cell.textContent = value;
    cell.classList.toggle("is-empty", value === "");
    cell.setAttribute("aria-label", `${column.name} ${value || "empty"}`);
  }

  fillBell(words, isWatched) {
    const bell = words.querySelector(":scope > .bell");
    if (!isWatched) bell?.remove();
    else if (!bell) words.append(el("span", { class: "bell" }, icon("bell"), el("span", { class: "out-of-sight" }, "with notices")));
  }

  fillBadge(badge, mark) {
    const text = mark ? `${mark.isUp ? "▲" : "▼"} ${mark.text}` : "";
    if (badge.dataset.text === text + (mark?.until ?? "")) return;
    badge.dataset.text = text + (mark?.until ?? "");
    badge.className = mark ? `badge ${mark.isUp ? "up" : "down"}` : "badge";
    badge.replaceChildren(...(mark ? [
      text, mark.share && el("span", { class: "share" }, mark.share), el("span", { class: "by", dir: "auto" }, mark.by),
    ].filter(Boolean) : []));
  }

  of(node) {
    const row = node?.closest?.(".row");
    return row ? this.model.get(row.dataset.id) : null;
  }

  rowOf(id) { return this.elements.get(id); }

  // MARK: Focus and scrolling stay

  /** Remembers the focus; what it returns gives it back if moving elements lost it. */
  focus() {
    const before = document.activeElement;
    const row = before?.closest?.(".row");
    if (!row) return () => {};
    const selection = before.selectionStart === undefined ? null : this.selection(before);
    this.isMoving = true;
    return () => {
      this.isMoving = false;
      if (document.activeElement === before || !before.isConnected) return;
      this.isMoving = true;
      before.focus({ preventScroll: true });
      if (selection) before.setSelectionRange(...selection);
      this.isMoving = false;
    };
  }

  selection(field) {
    try { return field.selectionStart === null ? null : [field.selectionStart, field.selectionEnd]; }
    catch { return null; }
  }

  /** The row at the top of the view, where the browser keeps no anchor of its own. */
  anchor() {
    if (CSS.supports("overflow-anchor", "auto") || scrollY < 1) return null;
    const row = document.elementFromPoint(innerWidth / 2, 140)?.closest(".row");
    return row && { row, top: row.getBoundingClientRect().top };
  }

  hold(anchor) {
    if (!anchor?.row.isConnected) return;
    const moved = anchor.row.getBoundingClientRect().top - anchor.top;
    if (moved) scrollBy(0, moved);
  }
}

/** "4 open · 1 done" of a list, all levels, as beside its name. */
export function summary(model) {
  let done = 0;
  for (const item of model.items.values()) done += item.isDone;
  const open = model.items.size - done;
  return model.items.size ? `${open} open${done ? ` · ${done} done` : ""}` : counted(0, "item");
}
