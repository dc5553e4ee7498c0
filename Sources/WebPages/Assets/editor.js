// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Editing in place: a draft beside the value. Enter saves, Shift and Enter starts a line where there are
// several, Escape leaves the value, a change by somebody else
// is offered and never replaces the draft.

import { el } from "./dom.js";
import { defect, fieldFor, sent, written } from "./fields.js";
import { shown } from "./rows.js";

export class Editor {
  constructor(rows, actions) {
    this.rows = rows;
    this.model = rows.model;
    this.actions = actions;
    this.now = null;
  }

  /** Opens the field of a column, or of the text (`null`). */
  open(item, column) {
    this.save();
    const row = this.rows.rowOf(item.id);
    if (!row) return;
    if (column?.type === "bool") {
      this.actions.setCell(item, column.name, !(item.cols[column.name] === true));
      return;
    }
    const parts = this.rows.parts(row);
    const holder = column ? parts.cells : parts.words;
    const target = column
      ? holder.querySelector(`[data-col="${CSS.escape(column.name)}"]`) : holder.firstElementChild;
    const start = column ? item.cols[column.name] : item.text;
    const isCounter = column?.type === "counter";
    const field = isCounter ? null : fieldFor(column, start);
    const note = el("span", { class: "editor-note", role: "status" });
    const box = el("span", { class: "editor" }, field ?? this.counter(item, column), note);
    if (column) box.style.gridColumn = String(this.model.shown.indexOf(column) + 1);
    field?.setAttribute("aria-label", column ? `${column.name} of ${item.text}` : `Text of ${item.text}`);
    target.classList.add("being-edited");
    holder.append(box);
    this.now = { item, column, field, box, note, target, start: field?.value };
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("focusout", (event) => this.left(event));
    field?.addEventListener("input", () => this.check());
    if (field?.tagName === "SELECT") field.addEventListener("change", () => this.save(true));
    (field ?? box.querySelector("button")).focus();
    if (field?.tagName === "INPUT" && field.type !== "date") field.select();
  }

  counter(item, column) {
    const value = el("output", {}, String(item.cols[column.name] ?? 0));
    const step = (by, name, sign) => el("button", {
      type: "button", class: "step", "aria-label": `${name} ${column.name} of ${item.text}`,
      on: { click: () => {
        this.actions.count(item, column.name, by);
        value.textContent = String(item.cols[column.name]);
      } },
    }, sign);
    return el("span", { class: "counter", role: "group" },
      step(-1, "Lower", "\u2212"), value, step(1, "Raise", "+"));
  }

  isOpenFor(id) { return this.now?.item.id === id; }

  key(event) {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      this.end(true);
    } else if (event.key === "Enter" && !event.shiftKey && event.target === this.now?.field) {
      event.preventDefault();
      this.save(true);
    }
  }

  left(event) {
    if (!this.now || this.rows.isMoving || !document.hasFocus()) return;
    if (this.now.box.contains(event.relatedTarget)) return;
    this.save();
  }

  check() {
    const { column, field, note } = this.now;
    const wrong = defect(column, field.value);
    field.setAttribute("aria-invalid", String(wrong !== null));
    if (wrong) note.textContent = wrong; else if (!note.querySelector("button")) note.textContent = "";
    return wrong;
  }

  /** Sends the draft if it differs; a draft that cannot be sent stays when asked for by Enter. */
  save(isAsked = false) {
    const now = this.now;
    if (!now) return;
    if (now.field && now.field.value !== now.start) {
      if (this.check()) {
        if (isAsked) now.field.focus(); else this.end(false);
        return;
      }
      const value = sent(now.column, now.field.value);
      if (now.column) this.actions.setCell(now.item, now.column.name, value);
      else this.actions.setText(now.item, value);
    }
    this.end(isAsked);
  }

  end(returnsFocus) {
    const now = this.now;
    if (!now) return;
    this.now = null;
    now.target.classList.remove("being-edited");
    now.box.remove();
    if (returnsFocus) now.target.focus();
  }

  /** An event of somebody else about the field that is open. */
  heard(event) {
    const now = this.now;
    if (!now || event.id !== now.item.id) return;
    if (event.ev === "rm") {
      const draft = now.field?.value;
      this.end(false);
      this.actions.messages.show(
        `${event.by} deleted “${now.item.text}”${draft && draft !== now.start ? `; your text was “${draft}”` : ""}`,
        { undo: () => this.actions.restore(event.id) });
      return;
    }
    if (event.ev !== "set" || event.col !== (now.column?.name ?? "text") || !now.field) return;
    const theirs = written(now.column, event.new);
    if (theirs === now.field.value) return;
    now.note.replaceChildren(
      el("span", { dir: "auto" }, `${event.by}: “${now.column ? shown(now.column, event.new) : theirs}” `),
      el("button", {
        type: "button", class: "link-button",
        on: { click: () => {
          now.field.value = theirs;
          now.start = theirs;
          now.note.replaceChildren();
          now.field.focus();
        } },
      }, "Use theirs"));
  }
}
