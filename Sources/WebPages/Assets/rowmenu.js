// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// What the menu of a row offers, and the panel with all fields and the note of an item.

import { get } from "./api.js";
import { ask, iconButton, openMenu } from "./dialogs.js";
import { address, ago, counted, el } from "./dom.js";
import { defect, fieldFor, sent } from "./fields.js";

export class RowMenu {
  constructor({ rows, actions, editor, notices, lists }) {
    Object.assign(this, { rows, actions, editor, notices, lists });
    this.model = rows.model;
    this.panel = null;
  }

  open(item, button) {
    const beside = this.model.siblings(item);
    const at = beside.indexOf(item.id);
    const isFixed = this.rows.order !== null;
    const isLast = at === beside.length - 1;
    const others = this.lists().filter((list) => list.id !== this.model.list.id);
    const links = [item.text, ...Object.values(item.cols)].map((value) => address(String(value))).filter(Boolean);
    openMenu(button, `Actions for ${item.text}`, [
      { name: "Edit text", act: () => this.editor.open(item, null) },
      { name: "Details and note…", act: () => this.details(item) },
      ...this.notices.entry({ item: item.id }, item.id, item.text),
      ...links.slice(0, 2).map((href) => ({ name: `Open ${new URL(href).host} ↗`, href })),
      null,
      { name: "Move up", keys: "Alt ↑", isOff: isFixed || at <= 0, act: () => this.moved(item, this.actions.step(item, -1)) },
      { name: "Move down", keys: "Alt ↓", isOff: isFixed || isLast, act: () => this.moved(item, this.actions.step(item, 1)) },
      { name: "Move to top", isOff: isFixed || at <= 0, act: () => this.moved(item, this.actions.toPosition(item, 0)) },
      { name: "Move to bottom", isOff: isFixed || isLast, act: () => this.moved(item, this.actions.toPosition(item, beside.length - 1)) },
      { name: "Move to position…", isOff: isFixed || beside.length < 2, act: () => this.toPosition(item) },
      { name: "Put into the row above", keys: "Alt →", isOff: isFixed || at <= 0, act: () => this.moved(item, this.actions.nest(item)) },
      { name: "Take out", keys: "Alt ←", isOff: isFixed || !item.parent, act: () => this.moved(item, this.actions.unnest(item)) },
      { name: "Move to another list…", isOff: !others.length, act: () => this.toList(item, others) },
      null,
      { name: "Delete", isDanger: true, act: () => this.remove(item) },
    ]);
  }

  /** The focus follows the item. */
  moved(item) {
    requestAnimationFrame(() => requestAnimationFrame(() =>
      this.rows.rowOf(item.id)?.querySelector(".more").focus()));
  }

  async toPosition(item) {
    const count = this.model.siblings(item).length;
    const now = this.model.siblings(item).indexOf(item.id) + 1;
    const answer = await ask({
      title: `Move “${item.text}”`, ok: "Move",
      fields: [{
        name: "to", label: `Position, 1 to ${count}`, type: "number", value: String(now), min: "1",
        max: String(count),
        check: (text) => (/^\d+$/.test(text) && +text >= 1 && +text <= count ? null : `A number from 1 to ${count}.`),
      }],
    });
    if (!answer) return;
    this.actions.toPosition(item, Number(answer.to) - 1);
    this.moved(item);
  }

  async toList(item, others) {
    const answer = await ask({
      title: `Move “${item.text}” to another list`, ok: "Move",
      fields: [{ name: "list", label: "List", options: others.map((list) => [list.id, list.name]) }],
    });
    if (answer) this.actions.toList(item, others.find((list) => list.id === answer.list));
  }

  /** At once; where others are in it, a question that says how many. */
  async remove(item) {
    const inside = this.model.subtree(item.id).length - 1;
    if (inside) {
      const answer = await ask({
        title: `Delete “${item.text}”?`, isDanger: true, ok: "Delete",
        text: `${counted(inside, "item")} in it will go with it. Restore brings all of it back.`,
      });
      if (!answer) return;
    }
    this.focusBeside(item);
    this.actions.remove(item);
  }

  focusBeside(item) {
    const beside = this.model.siblings(item);
    const at = beside.indexOf(item.id);
    const next = this.rows.rowOf(beside[at + 1] ?? beside[at - 1] ?? item.parent);
    (next?.querySelector(".more") ?? document.getElementById("add"))?.focus();
  }

  // MARK: Details

  async details(item) {
    this.panel?.close();
    const model = this.model;
    const note = el("textarea", { rows: 4, dir: "auto", disabled: true, name: "note" });
    const history = el("p", { class: "fine" });
    const field = (column) => {
      const input = fieldFor(column, column ? item.cols[column.name] : item.text);
      const wrong = el("small", { role: "status" });
      input.addEventListener("change", () => {
        const problem = column?.type === "counter" ? null : defect(column, input.value);
        wrong.textContent = problem ?? "";
        if (problem) return;
        if (!column) this.actions.setText(item, input.value.trim());
        else if (column.type === "counter") {
          this.actions.count(item, column.name, Number(input.value || 0) - Number(item.cols[column.name] ?? 0));
        } else this.actions.setCell(item, column.name, sent(column, input.value));
      });
      return el("label", { class: "field" }, el("span", {}, column?.name ?? model.title), input, wrong);
    };
    const panel = el(
      "dialog", { class: "panel", "aria-labelledby": "panel-title" },
      el("div", { class: "panel-head" },
        el("h2", { id: "panel-title", dir: "auto" }, item.text),
        iconButton("close", "Close details", () => panel.close())),
      field(null), ...model.columns.map(field),
      el("label", { class: "field" }, el("span", {}, "Note"), note),
      history,
      el("p", { class: "fine" }, "In the terminal: ", el("code", {}, `hedge show ${item.handle}`)));
    panel.addEventListener("close", () => {
      panel.remove();
      if (this.panel === panel) this.panel = null;
      this.rows.rowOf(item.id)?.querySelector(".more").focus();
    });
    panel.addEventListener("click", (event) => { if (event.target === panel) panel.close(); });
    this.panel = panel;
    document.body.append(panel);
    panel.showModal();
    try {
      const reply = await get(`items/${item.id}`);
      const held = reply.item.fields.find((one) => one.name === "note");
      note.value = held?.value ?? "";
      note.disabled = false;
      note.addEventListener("change", () => this.actions.setNote(item, note.value));
      history.textContent = `Last changed by ${reply.item.by}, ${ago(reply.item.at)}`;
      for (const lost of reply.item.overridden ?? []) {
        panel.append(el("p", { class: "fine", dir: "auto" },
          `${lost.name}: “${lost.dropped}” by ${lost.dropped_by} gave way to “${lost.kept}” by ${lost.kept_by}`));
      }
    } catch (refusal) { history.textContent = refusal.words; }
  }
}
