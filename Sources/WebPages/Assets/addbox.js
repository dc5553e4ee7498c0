// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The box on top: one line is one item, several pasted lines are several, in order, as one step.

import { hex } from "./api.js";
import { counted, el, icon } from "./dom.js";
import { defect, fieldFor, sent } from "./fields.js";

const suggestionsMax = 6;

/** A pasted line as people write lists: bullets, numbers and boxes are no part of the text. */
export function cleanLine(line) {
  const match = /^\s*(?:[-*•+]\s+|\d+[.)]\s+)?(?:\[([ xX])\]\s*)?(.*?)\s*$/.exec(line);
  return { text: match[2], isDone: /x/i.test(match[1] ?? "") };
}

/**
 * How deep each line stands below the lines above it, as `PlainLines` of the agent has it: a bullet, box
 * or number that is further in makes a child.
 */
function depths(lines) {
  const indents = [];
  return lines.map((line) => {
    const [blanks] = /^[ \t]*/.exec(line);
    const indent = [...blanks].reduce((at, one) => (one === "\t" ? (Math.floor(at / 4) + 1) * 4 : at + 1), 0);
    const isMarked = /^(?:[-*•+]\s|\d+[.)]\s|\[[ xX]\])/.test(line.slice(blanks.length));
    while (indents.length && (!isMarked || indents.at(-1) >= indent)) indents.pop();
    indents.push(isMarked ? indent : 0);
    return indents.length - 1;
  });
}

/**
 * Takes `qty=2` and `store="Corner shop"` out of a line.
 * @returns `{ text, cols, unknown }`; `unknown` is a name that is no column.
 */
export function readLine(line, columns) {
  const cols = {};
  let unknown = null;
  const text = line.replace(
    /(^|\s)([\p{L}_][\p{L}\p{N}_.-]*)=("[^"]*"|\S*)/gu, (whole, space, name, value) => {
      const column = columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
      if (!column) {
        unknown ??= name;
        return whole;
      }
      cols[column.name] = sent(column, value.replace(/^"|"$/g, ""));
      return "";
    });
  return { text: text.trim(), cols, unknown: columns.length ? unknown : null };
}

export class AddBox {
  constructor(model, actions) {
    this.model = model;
    this.actions = actions;
    this.input = el("input", {
      type: "text", id: "add", autocomplete: "off", enterKeyHint: "done", dir: "auto", role: "combobox",
      "aria-expanded": "false", "aria-controls": "suggestions", "aria-autocomplete": "list",
      "aria-describedby": "add-note",
    });
    this.label = el("label", { for: "add", class: "out-of-sight" });
    this.note = el("p", { class: "add-note", id: "add-note", role: "status" });
    this.list = el("ul", { id: "suggestions", role: "listbox", hidden: true, "aria-label": "Earlier items" });
    this.fields = el("div", { class: "add-fields", role: "group", "aria-label": "Columns" });
    this.form = el("form", { class: "add", on: { submit: (event) => this.submit(event) } },
      this.label,
      el("div", { class: "add-line" }, icon("plus"), this.input, this.fields,
        el("button", { type: "submit", class: "primary" }, "Add")),
      this.list, this.note);
    this.input.addEventListener("paste", (event) => this.paste(event));
    this.input.addEventListener("input", () => this.suggest());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.form.addEventListener("focusout", (event) => {
      if (!this.form.contains(event.relatedTarget)) this.fold();
    });
  }

  /** Another list is shown. */
  reset() {
    const name = this.model.list.name;
    this.label.textContent = `Add to ${name}`;
    this.input.placeholder = `Add to ${name}`;
    this.input.value = "";
    this.note.textContent = "";
    this.fold();
    const columns = this.model.shown.filter((column) => column.type !== "counter");
    this.fields.replaceChildren(...columns.map((column) => {
      const field = fieldFor(column, column.default);
      field.name = column.name;
      field.setAttribute("aria-label", column.name);
      field.placeholder = column.required ? `${column.name} *` : column.name;
      if (field.options?.[0]) field.options[0].textContent = column.name;
      // An empty date would show the name of no column.
      const type = field.type;
      if (!field.value && /^date/.test(type)) {
        field.type = "text";
        field.addEventListener("focus", () => { field.type = type; });
        field.addEventListener("blur", () => { if (!field.value) field.type = "text"; });
      }
      return field;
    }));
    this.fields.hidden = !columns.length;
  }

  paste(event) {
    const text = event.clipboardData.getData("text/plain");
    const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim());
    if (lines.length < 2) return;
    event.preventDefault();
    const deep = depths(lines);
    this.send(lines.map((line, at) => {
      const clean = cleanLine(line);
      const row = readLine(clean.text, this.model.columns);
      return { ...row, isDone: clean.isDone, depth: deep[at] };
    }).filter((row) => row.text));
  }

  submit(event) {
    event.preventDefault();
    const line = this.input.value;
    const row = readLine(line, this.model.columns);
    if (row.unknown && this.doubted !== line) {
      this.doubted = line;
      return this.say(`There is no column “${row.unknown}”. Press Enter again to add it as text.`);
    }
    for (const field of this.fields.querySelectorAll("input, select")) {
      const column = this.model.column(field.name);
      if (column.name in row.cols) continue;
      const wrong = field.value === "" && !line.trim() ? null : defect(column, field.value);
      if (wrong) {
        this.say(wrong);
        return field.focus();
      }
      if (field.value !== "") row.cols[column.name] = sent(column, field.value);
    }
    if (!row.text) return this.say("An item needs a text.");
    this.send([row], this.failed?.line === line ? this.failed.nonce : undefined, line);
  }

  say(text) { this.note.textContent = text; }

  /**
   * Shows and sends rows. On refusal one line is back in the box, several are offered again; with the
   * ids that they had, for nobody knows whether the agent took them.
   */
  async send(rows, nonce = hex(8), line = null) {
    if (!rows.length) return;
    this.failed = null;
    const kept = [...this.fields.querySelectorAll("input, select")].map((field) => [field, field.value]);
    this.input.value = "";
    this.doubted = null;
    this.say("");
    this.fold();
    for (const [field] of kept) field.value = this.model.column(field.name)?.default ?? "";
    this.input.focus();
    try {
      const sent = rows.map(({ text, cols, isDone, depth }) => ({
        text, cols, ...(isDone ? { state: "done" } : {}), ...(depth ? { depth } : {}),
      }));
      const reply = await (rows.some((row) => row.depth)
        ? this.actions.addTree(sent) : this.actions.add(sent, nonce));
      const same = reply.maybe_same[0];
      if (same && rows.length === 1) this.say(`“${same.text}” was on the list already.`);
    } catch (refusal) {
      const why = refusal.words ?? refusal.message;
      if (line === null) {
        this.actions.messages.show(`${counted(rows.length, "row")} not added: ${why}`,
          { act: () => this.send(rows, nonce), name: "Try again", isTrouble: true });
        return;
      }
      this.say(why);
      if (this.input.value) return;
      this.failed = { line, nonce };
      this.input.value = line;
      for (const [field, value] of kept) field.value = value;
    }
  }

  // MARK: Suggestions

  suggest() {
    this.say("");
    const typed = this.input.value.trim().toLowerCase();
    const found = [];
    if (typed.length > 1) {
      const seen = new Set();
      for (const item of this.model.items.values()) {
        const text = item.text.toLowerCase();
        if (!text.startsWith(typed) || seen.has(text)) continue;
        seen.add(text);
        found.push(item);
        if (found.length >= suggestionsMax) break;
      }
    }
    this.chosen = -1;
    this.list.replaceChildren(...found.map((item, index) => el(
      "li", {
        role: "option", id: `suggestion-${index}`, "aria-selected": "false",
        on: { pointerdown: (event) => { event.preventDefault(); this.accept(item); } },
      },
      el("span", { dir: "auto" }, item.text),
      el("span", { class: "hint" }, item.isDone ? "done: take it up again" : "already on the list"))));
    this.found = found;
    this.list.hidden = !found.length;
    this.input.setAttribute("aria-expanded", String(found.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  fold() {
    this.list.hidden = true;
    this.found = [];
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (this.list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const count = this.found.length;
      const by = event.key === "ArrowDown" ? 1 : -1;
      this.chosen = (this.chosen + by + count + (this.chosen < 0 && by < 0 ? 1 : 0)) % count;
      for (const [index, option] of [...this.list.children].entries()) {
        option.setAttribute("aria-selected", String(index === this.chosen));
      }
      this.input.setAttribute("aria-activedescendant", `suggestion-${this.chosen}`);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.fold();
    } else if (event.key === "Enter" && this.chosen >= 0) {
      event.preventDefault();
      this.accept(this.found[this.chosen]);
    }
  }

  /** A done item comes back instead of a second one; an open one only fills the box. */
  accept(item) {
    this.fold();
    if (item.isDone) {
      this.input.value = "";
      this.actions.tick(item, false);
    } else {
      this.input.value = item.text;
      this.say(`“${item.text}” is on the list already.`);
    }
    this.input.focus();
  }
}
