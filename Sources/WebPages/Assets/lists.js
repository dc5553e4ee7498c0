// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The lists beside the rows: switching, making, renaming, deleting.

import { get, transact } from "./api.js";
import { ask, openMenu } from "./dialogs.js";
import { counted, el, icon } from "./dom.js";

const pace = 400;

export class Lists {
  constructor(nav, messages, show) {
    this.nav = nav;
    this.messages = messages;
    this.show = show;
    this.all = [];
    this.list = el("ul", { role: "list", class: "lists" });
    this.views = el("ul", { role: "list", class: "lists views" });
    this.fresh = el(
      "button", { type: "button", class: "quiet new-list", on: { click: () => this.create() } },
      icon("plus"), "New list");
    nav.replaceChildren(el("h2", { class: "nav-title" }, "Lists"), this.list, this.fresh, this.views);
  }

  async load() {
    const reply = await get("lists");
    this.all = reply.lists;
    this.draw();
    return this.all;
  }

  /** Soon, once for many changes. */
  loadSoon() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.load().catch(() => {});
    }, pace);
  }

  find(handle) {
    return this.all.find((row) => row.handle === handle || row.id === handle || row.name === handle);
  }

  draw(current = this.current) {
    this.current = current;
    this.list.replaceChildren(...this.all.map((row) => {
      const link = el(
        "a", { href: `/lists/${row.handle}`, dir: "auto", on: { click: (event) => this.go(event, row) } },
        el("span", { class: "list-name" }, row.name),
        row.open ? el("span", { class: "list-count" }, String(row.open), el("span", { class: "out-of-sight" }, " open")) : null);
      if (row.id === current) link.setAttribute("aria-current", "page");
      return el("li", {}, link);
    }));
  }

  /** The views below the lists: `{ hash, name, icon, count }`. */
  drawViews(views, current) {
    this.views.replaceChildren(...views.map((view) => {
      const link = el("a", { href: view.hash }, icon(view.icon), el("span", { class: "list-name" }, view.name),
        el("span", { class: "list-count" }, view.count ? String(view.count) : ""));
      if (view.hash === current) link.setAttribute("aria-current", "page");
      return el("li", {}, link);
    }));
  }

  go(event, row) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    this.show(row);
  }

  async create() {
    const answer = await ask({
      title: "New list", ok: "Make list",
      fields: [
        { name: "name", label: "Name", placeholder: "groceries", check: (text) => (text ? null : "A list needs a name.") },
        { name: "columns", label: "Columns (optional)", placeholder: "qty:int  price:num  store:text",
          hint: "Name and type of each: text, int, num, bool, date, enum(a|b), counter" },
      ],
      send: ({ name, columns }) => transact({ op: "new", name, columns: columns.split(/\s+/).filter(Boolean) }),
    });
    if (!answer) return;
    await this.load();
    const row = this.all.findLast((one) => one.name === answer.name);
    if (row) this.show(row);
  }

  menu(button, row, more) {
    openMenu(button, `Actions for the list ${row.name}`, [
      { name: "Rename…", act: () => this.rename(row) },
      ...more,
      null,
      { name: "Delete list…", isDanger: true, act: () => this.drop(row) },
    ]);
  }

  async rename(row) {
    const answer = await ask({
      title: `Rename “${row.name}”`, ok: "Rename",
      fields: [{ name: "name", label: "Name", value: row.name, check: (text) => (text ? null : "A list needs a name.") }],
      send: ({ name }) => transact({ op: "set", item: row.id, text: name }),
    });
    if (answer) await this.load();
  }

  async drop(row) {
    const answer = await ask({
      title: `Delete “${row.name}”?`, isDanger: true, ok: "Delete list",
      text: `${counted(row.items, "item")} will be hidden with it, on every machine. It can be restored at any time.`,
      fields: [{
        name: "name", label: `Type ${row.name} to go on`,
        check: (text) => (text === row.name ? null : "That is not the name of the list."),
      }],
      send: () => transact({ op: "rm", item: row.id }),
    });
    if (!answer) return;
    this.messages.show(`Deleted the list “${row.name}”`, {
      undo: async () => {
        try {
          await transact({ op: "restore", item: row.id });
          await this.load();
          const back = this.find(row.id);
          if (back) this.show(back);
        } catch (refusal) { this.messages.trouble(refusal); }
      },
    });
    await this.load();
    this.show(this.all[0] ?? null);
  }
}
