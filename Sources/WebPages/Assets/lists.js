// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The lists beside the rows: switching, making, renaming, deleting.

import { get, transact } from "./api.js";
import { ask, openMenu } from "./dialogs.js";
import { counted, el, icon } from "./dom.js";

const pace = 400;
const types = {
  text: "Text", int: "Whole number", num: "Number", date: "Date", time: "Date and time", bool: "Yes or no",
  counter: "Counter", person: "Person", url: "Link",
};

export class Lists {
  constructor(nav, messages, show, guest) {
    this.nav = nav;
    this.messages = messages;
    this.show = show;
    this.all = [];
    this.list = el("ul", { role: "list", class: "lists" });
    this.views = el("ul", { role: "list", class: "lists views" });
    this.fresh = el(
      "button", { type: "button", class: "quiet new-list", on: { click: () => this.create() } },
      icon("plus"), "New list");
    nav.replaceChildren(el("h2", { class: "nav-title" }, "Lists"), this.list, ...(guest ? [] : [this.fresh, this.views]));
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
    this.fill(this.list, this.all.map((row) => ({
      href: `/lists/${row.handle}`, name: row.name, count: row.open, unit: " open", isCurrent: row.id === current,
      act: (event) => this.go(event, this.all.find((one) => one.id === row.id) ?? row),
    })));
  }

  /** The views below the lists: `{ hash, name, icon, count }`. */
  drawViews(shown, current) {
    this.fill(this.views, shown.map((view) => ({
      href: view.hash, name: view.name, icon: view.icon, count: view.count, unit: "", isCurrent: view.hash === current,
    })));
  }

  /** Brings links in step; those that stay keep their element, and so the focus and a click under way. */
  fill(list, links) {
    const old = new Map([...list.children].map((entry) => [entry.firstElementChild.getAttribute("href"), entry]));
    const wanted = links.map((link) => {
      const entry = old.get(link.href) ?? el("li", {}, el(
        "a", { href: link.href, dir: "auto", on: link.act ? { click: link.act } : {} },
        link.icon ? icon(link.icon) : null, el("span", { class: "list-name" }), el("span", { class: "list-count" })));
      const anchor = entry.firstElementChild;
      const [name, count] = [...anchor.children].slice(-2);
      if (name.textContent !== link.name) name.textContent = link.name;
      const text = link.count ? String(link.count) : "";
      if (count.firstChild?.textContent !== text) {
        count.replaceChildren(text, ...(text && link.unit ? [el("span", { class: "out-of-sight" }, link.unit)] : []));
      }
      if (link.isCurrent) anchor.setAttribute("aria-current", "page"); else anchor.removeAttribute("aria-current");
      return entry;
    });
    for (const entry of old.values()) if (!wanted.includes(entry)) entry.remove();
    for (const [index, entry] of wanted.entries()) {
      if (list.children[index] !== entry) list.insertBefore(entry, list.children[index] ?? null);
    }
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
      { name: "Add a column…", act: () => this.addColumn(row) },
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

  addColumn(row) {
    return ask({
      title: `A column for “${row.name}”`, ok: "Add column",
      fields: [
        { name: "name", label: "Name", check: (text) => (text ? null : "A column needs a name.") },
        { name: "type", label: "Holds", options: Object.entries(types) },
      ],
      send: ({ name, type }) => transact({ op: "cols", list: row.id, add: [`${name}:${type}`] }),
    });
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
