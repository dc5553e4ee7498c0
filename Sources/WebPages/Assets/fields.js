// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Fields for the types of columns: which keyboard, which picker, what is refused before it is sent.

import { el } from "./dom.js";

/** The words of `enum(a|b)`; `null` for another type. */
export function options(column) {
  const words = /^enum\((.*)\)$/.exec(column?.type ?? "");
  return words ? words[1].split("|") : null;
}

/** The text of a field for a value: moments are shown by the clock here. */
export function written(column, value) {
  if (value === undefined || value === null) return "";
  if (column?.type !== "time") return String(value);
  const at = new Date(value);
  return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

/** A field for a column (`null`: the text of an item) with a value to start from. */
export function fieldFor(column, value) {
  const text = written(column, value);
  const words = options(column);
  if (words) {
    const choice = el("select", {}, ...["", ...words].map((word) => el("option", { value: word }, word || "–")));
    choice.value = text;
    return choice;
  }
  if (column?.type === "bool") {
    const choice = el(
      "select", {}, ...[["", "–"], ["true", "yes"], ["false", "no"]].map(([word, name]) =>
        el("option", { value: word }, name)));
    choice.value = text;
    return choice;
  }
  const shape = {
    int: { type: "text", inputMode: "numeric" }, counter: { type: "text", inputMode: "numeric" },
    num: { type: "text", inputMode: "decimal" }, date: { type: "date" },
    time: { type: "datetime-local" }, url: { type: "url", inputMode: "url" },
  }[column?.type] ?? { type: "text" };
  // A field of one line would glue the words of several.
  if (shape.type === "text" && text.includes("\n")) {
    return el("textarea", { value: text, rows: Math.min(text.split("\n").length, 8), dir: "auto" });
  }
  return el("input", { ...shape, value: text, autocomplete: "off", dir: "auto" });
}

/** What is wrong with a draft, as a sentence; `null` if it may be sent. */
export function defect(column, draft) {
  const text = draft.trim();
  if (!column) return text ? null : "An item needs a text.";
  if (!text) return column.required ? `${column.name} needs a value.` : null;
  switch (column.type) {
    case "int": case "counter":
      return /^[-+]?\d+$/.test(text) ? null : `${column.name} is a whole number, for example 3.`;
    case "num":
      return /^[-+]?\d+([.,]\d+)?$/.test(text) ? null : `${column.name} is a number, for example 1.20.`;
    default: return null;
  }
}

/** A draft as it is sent: `null` clears. */
export function sent(column, draft) {
  const text = draft.trim();
  if (!column) return text;
  if (!text) return null;
  if (column.type === "time" && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  return column.type === "num" ? text.replace(",", ".") : text;
}
