// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The page: puts its parts together, shows the list of the address, keeps it in step.

import { Actions } from "./actions.js";
import { AddBox } from "./addbox.js";
import { get } from "./api.js";
import { Chip } from "./chip.js";
import { iconButton } from "./dialogs.js";
import { counted, el, icon } from "./dom.js";
import { Editor } from "./editor.js";
import { Folder } from "./events.js";
import { Lists } from "./lists.js";
import { Messages } from "./messages.js";
import { Model } from "./model.js";
import { Mover } from "./mover.js";
import { Notices } from "./notices.js";
import { RowMenu } from "./rowmenu.js";
import { Rows, summary } from "./rows.js";
import { Stream } from "./stream.js";
import { search, views } from "./views.js";

const searchPace = 200;
const newsPace = 4000;

class App {
  constructor() {
    document.documentElement.classList.add("is-scripted");
    this.main = document.getElementById("list");
    /** What the holder of a guest link may do, `tick` or `ro`; the agent holds them to it. */
    this.guest = this.main.dataset.guest ?? null;
    this.views = this.guest ? {} : views;
    if (this.guest) document.body.classList.add("is-guest");
    this.model = new Model();
    this.messages = new Messages();
    this.actions = new Actions(this.model, this.messages, () => this.readAgain());
    this.open = el("ul", { class: "rows", role: "list", "aria-labelledby": "name", id: "rows" });
    this.done = el("ul", { class: "rows", role: "list", "aria-label": "Done" });
    this.rows = new Rows(this.model, this.open, this.done, this.guest);
    this.rows.onflush = () => this.count();
    this.editor = new Editor(this.rows, this.actions);
    this.mover = new Mover(this.rows, this.actions, this.messages);
    this.add = new AddBox(this.model, this.actions);
    this.lists = new Lists(document.getElementById("nav"), this.messages, (row) => this.go(row), this.guest);
    this.notices = new Notices(this.rows, this.messages);
    this.menu = new RowMenu({
      rows: this.rows, actions: this.actions, editor: this.editor, notices: this.notices, lists: () => this.lists.all,
    });
    this.chip = new Chip(document.getElementById("chip"), this.guest);
    this.folder = new Folder(this.model, (event, item) => this.news(event, item), () => this.readAgain());
    this.stream = new Stream({
      events: (events) => this.take(events), lost: () => this.readAgain(),
      state: (state) => this.state(state), status: (status) => this.status(status),
      notice: (notice) => this.notice(notice),
    }, this.guest);
    this.heard = [];
    this.build();
    this.listen();
  }

  // MARK: Parts of the page

  build() {
    this.title = el("h1", { id: "name", dir: "auto" });
    this.sum = el("p", { class: "sum" });
    this.sort = el("select", { class: "sort", "aria-label": "Order of the rows" });
    this.head = el(
      "div", { class: "head" }, el("div", { class: "head-words" }, this.title, this.sum), this.sort,
      this.listMenu = iconButton("more", "Actions for this list", () => this.openListMenu()));
    this.listMenu.setAttribute("aria-haspopup", "menu");
    this.listMenu.hidden = this.guest;
    this.heads = el("div", { class: "heads", "aria-hidden": "true" });
    this.empty = el("div", { class: "empty", hidden: true });
    this.skeleton = el("div", { class: "skeleton", "aria-hidden": "true" },
      ...Array.from({ length: 6 }, () => el("div", { class: "bone" })));
    this.found = el("section", { class: "found", hidden: true, "aria-label": "In other lists" });
    this.doneTitle = el("summary", {}, icon("chevron"), el("span", {}, "Done"), el("span", { class: "done-count" }));
    this.doneBox = el("details", { class: "done-box", hidden: true }, this.doneTitle, this.done);
    this.help = el("p", { class: "out-of-sight", id: "grip-help" },
      "Space lifts the row, arrows move it, Space drops it. Alt and arrows move it at once.");
    this.parts = [
      this.head, ...(this.guest ? [] : [this.add.form]), this.heads, this.skeleton, this.open, this.empty, this.doneBox, this.found,
      this.help,
    ];
    const place = document.getElementById("search-place");
    this.query = el("input", { type: "search", id: "search", autocomplete: "off", placeholder: "Search", "aria-label": "Search" });
    place.append(icon("search"), this.query);
    this.scrim = el("div", { class: "scrim", on: { click: () => this.drawer(false) } });
    document.body.append(this.scrim);
    this.toggle = document.getElementById("nav-toggle");
    this.toggle.addEventListener("click", () => this.drawer(!document.body.classList.contains("has-drawer")));
  }

  drawer(isOpen) {
    document.body.classList.toggle("has-drawer", isOpen);
    this.toggle.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) document.querySelector("#nav a, #nav button")?.focus();
  }

  listen() {
    if (!this.guest) this.mover.attach(this.main);
    this.main.addEventListener("click", (event) => this.clicked(event));
    this.main.addEventListener("change", (event) => {
      if (!event.target.classList.contains("tick")) return;
      const item = this.rows.of(event.target);
      if (item) this.tick(item, event.target.checked);
    });
    this.doneBox.addEventListener("toggle", () => {
      this.rows.showsDone = this.doneBox.open;
      this.model.reordered(null);
    });
    this.sort.addEventListener("change", () => this.sortBy(this.sort.value));
    this.query.addEventListener("input", () => this.find());
    this.query.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { this.query.value = ""; this.find(); }
    });
    addEventListener("popstate", () => this.route());
    addEventListener("hashchange", () => this.route());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const isField = event.target.closest("input:not(.tick), textarea, select");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !isField && !this.guest) {
      event.preventDefault();
      if (event.shiftKey) this.actions.redo(); else this.actions.undo();
    } else if ((event.ctrlKey || event.metaKey) && event.key === "k") {
      event.preventDefault();
      this.query.focus();
    } else if (event.key === "Escape" && document.body.classList.contains("has-drawer")) {
      this.drawer(false);
      this.toggle.focus();
    }
  }

  clicked(event) {
    if (this.isReadOnly || this.guest) return;
    const button = event.target.closest("button");
    const item = button && this.rows.of(button);
    if (!item) return;
    if (button.classList.contains("text")) this.editor.open(item, null);
    else if (button.classList.contains("cell")) this.editor.open(item, this.model.column(button.dataset.col));
    else if (button.classList.contains("more")) this.menu.open(item, button);
  }

  /** A row that is ticked leaves: the focus goes to the next one. */
  tick(item, isDone) {
    const beside = this.model.siblings(item);
    const at = beside.indexOf(item.id);
    const next = this.rows.rowOf(beside[at + 1] ?? beside[at - 1]);
    if (!item.parent) (next?.querySelector(".tick") ?? document.getElementById("add"))?.focus();
    this.actions.tick(item, isDone);
  }

  openListMenu() {
    const row = this.lists.find(this.model.list.id);
    this.lists.menu(this.listMenu, row, [
      { name: "Undo last step", keys: "Ctrl Z", act: () => this.actions.undo() },
      { name: "Redo", keys: "Ctrl ⇧ Z", act: () => this.actions.redo() },
      ...this.notices.entry({ list: row.id }, row.id, row.name),
    ]);
  }

  // MARK: Which list

  async start() {
    try {
      await this.lists.load();
      await this.route();
      // Without an answer there is no switch to show.
      if (!this.guest) this.notices.load().catch(() => {});
    } catch (refusal) {
      this.stream.failed(refusal);
      this.stream.cursor = NaN;
      setTimeout(() => this.start(), 1500);
    }
  }

  route() {
    const handle = decodeURIComponent(/^\/lists\/([^/]+)/.exec(location.pathname)?.[1] ?? "");
    const view = this.views[location.hash];
    this.lists.drawViews(
      Object.entries(this.views).map(([hash, one]) => ({ hash, ...one, count: this.counts?.[hash] })), view && location.hash);
    if (view) return this.view(location.hash);
    const row = this.lists.find(handle) ?? this.lists.all[0] ?? null;
    return this.show(row);
  }

  go(row) {
    const path = row ? `/lists/${row.handle}` : "/";
    if (location.pathname !== path || location.hash) history.pushState(null, "", path);
    this.drawer(false);
    this.lists.drawViews(
      Object.entries(this.views).map(([hash, one]) => ({ hash, ...one, count: this.counts?.[hash] })), null);
    return this.show(row);
  }

  async show(row) {
    this.editor.save();
    this.query.value = "";
    this.rows.filter = "";
    this.found.hidden = true;
    this.main.setAttribute("aria-labelledby", "name");
    if (!row) return this.showNothing();
    this.lists.draw(row.id);
    document.title = `${row.name} – hedgerow`;
    this.main.setAttribute("aria-busy", "true");
    this.title.textContent = row.name;
    this.sum.textContent = "";
    this.model.clear();
    this.rows.clear();
    this.rows.order = null;
    this.skeleton.hidden = false;
    this.empty.hidden = true;
    this.doneBox.hidden = true;
    // The rows that the agent wrote into the page stay until ours are there.
    if (this.main.dataset.list !== row.id) this.main.replaceChildren(...this.parts);
    this.row = row;
    await this.read();
    // Another list is shown by now, or nothing was read: whoever asked for that goes on.
    if (this.row?.id !== row.id || !this.model.list) return;
    delete this.main.dataset.list;
    if (!this.head.isConnected) this.main.replaceChildren(...this.parts);
    this.add.reset();
    this.heading();
    if (!matchMedia("(pointer: coarse)").matches && document.activeElement === document.body) this.add.input.focus({ preventScroll: true });
  }

  showNothing() {
    this.row = null;
    this.lists.draw(null);
    this.model.clear();
    this.main.removeAttribute("aria-busy");
    if (this.guest) {
      return this.main.replaceChildren(el("h1", { id: "name" }, "Gone"), el("p", {}, "The list of this link was deleted."));
    }
    this.main.replaceChildren(
      el("h1", { id: "name", class: "out-of-sight" }, "Lists"),
      el("div", { class: "empty welcome" }, el("p", { class: "empty-title" }, "Start a list"),
        el("p", {}, "Groceries, a rota, an inventory. It appears on every machine of this space, and works offline."),
        el("button", { type: "button", class: "primary", on: { click: () => this.lists.create() } }, "New list")));
    return this.follow();
  }

  async view(hash) {
    this.lists.draw(null);
    this.drawer(false);
    this.row = null;
    this.model.clear();
    document.title = `${this.views[hash].name} – hedgerow`;
    try {
      this.main.replaceChildren(...(await this.views[hash].draw(this)));
    } catch (refusal) {
      this.main.replaceChildren(
        el("h1", { id: "name" }, this.views[hash].name), el("p", { class: "notice", role: "alert" }, refusal.words ?? refusal.message));
    }
    this.main.removeAttribute("aria-busy");
    if (Number.isNaN(this.stream.cursor)) await this.follow();
  }

  /** Listens from now on, where no list is shown. */
  async follow() {
    let cursor = null;
    this.stream.pause();
    try {
      cursor = (await get("changes")).cursor;
    } catch (refusal) {
      this.stream.failed(refusal);
    } finally {
      this.stream.resume(cursor);
    }
  }

  // MARK: Reading

  async read() {
    const row = this.row;
    let cursor = null;
    this.stream.pause();
    try {
      const reply = await get(`lists/${row.id}/items?show=all&shape=tree`);
      if (this.row?.id !== row.id) return;
      this.model.load(reply, this.row);
      if (!this.rows.elements.size) this.rows.clear();
      this.model.reordered(null);
      this.rows.flush();
      this.skeleton.hidden = true;
      cursor = reply.cursor;
    } finally {
      this.stream.resume(cursor);
    }
  }

  /** Reads the list again, soon and once, and brings rows in step without losing focus or place. */
  readAgain() {
    this.again ??= setTimeout(async () => {
      this.again = null;
      if (!this.row) return this.follow();
      try {
        await this.lists.load();
        const row = this.lists.find(this.row.id);
        if (!row) return this.go(this.lists.all[0] ?? null);
        this.row = row;
        await this.read();
      } catch (refusal) {
        this.stream.failed(refusal);
        setTimeout(() => this.readAgain(), 1000);
      }
    }, 120);
  }

  async take(events) {
    this.folder.take(events);
    for (const event of events) {
      if (event.ev === "list") await this.listChanged(event);
      else if (event.ev !== "set" && event.ev !== "mv") this.lists.loadSoon();
    }
  }

  async listChanged(event) {
    await this.lists.load().catch(() => {});
    const row = this.row && this.lists.find(this.row.id);
    if (!this.row) {
      if (!this.views[location.hash] && this.lists.all.length) this.go(this.lists.all[0]);
      return;
    }
    if (!row) {
      this.messages.show(`The list “${this.row.name}” was deleted`);
      return this.go(this.lists.all[0] ?? null);
    }
    if (event.id !== this.row.id) return;
    const hasOtherColumns = JSON.stringify(row.columns) !== JSON.stringify(this.row.columns);
    this.row = row;
    if (this.model.list) this.model.list.name = row.name;
    this.title.textContent = row.name;
    document.title = `${row.name} – hedgerow`;
    this.add.label.textContent = this.add.input.placeholder = `Add to ${row.name}`;
    if (hasOtherColumns) this.show(row);
  }

  // MARK: What is told

  /** Somebody else changed a row: the open editor hears it at once, the live region in a summary. */
  news(event, item) {
    this.editor.heard(event);
    this.heard.push({ by: event.by, ev: event.ev, text: item.text });
    this.telling ??= setTimeout(() => {
      this.telling = null;
      const heard = this.heard;
      this.heard = [];
      const [first] = heard;
      const act = { add: "added", rm: "deleted", done: "ticked", undone: "reopened", mv: "moved", set: "changed" };
      this.messages.say(heard.length === 1 ? `${first.by} ${act[first.ev] ?? "changed"} ${first.text}`
        : `${counted(heard.length, "change")} by ${[...new Set(heard.map((one) => one.by))].join(", ")}`);
    }, newsPace);
    const row = this.rows.rowOf(item.id);
    if (!row) return;
    row.classList.remove("is-fresh");
    requestAnimationFrame(() => row.classList.add("is-fresh"));
  }

  /** What this device was asked to tell: a bar, with the way to a list that is not shown. */
  notice({ list, title, body }) {
    const row = list && list !== this.row?.id && this.lists.find(list);
    this.messages.show(`${title}: ${body}`, row ? { act: () => this.go(row), name: "Show" } : {});
  }

  state(state) {
    this.chip.state(state);
    // The agent says why, in place of what is not to be seen any more.
    if (this.guest && state.phase === "refused") location.reload();
    this.isReadOnly = state.phase === "stopped" || state.phase === "refused";
    document.body.classList.toggle("read-only", this.isReadOnly);
    for (const field of this.add.form.querySelectorAll("input, select, button")) field.disabled = this.isReadOnly;
    for (const tick of this.isReadOnly === this.wasReadOnly ? [] : this.main.querySelectorAll(".tick")) {
      tick.disabled = this.isReadOnly || this.guest === "ro";
    }
    this.wasReadOnly = this.isReadOnly;
    if (state.phase === "live" && this.model.list) this.main.removeAttribute("aria-busy");
  }

  status(status) {
    this.chip.peers(status);
    const counts = { "#trash": status.recovered, "#conflicts": status.merge_decisions, "#peers": 0 };
    if (JSON.stringify(counts) === JSON.stringify(this.counts)) return;
    this.counts = counts;
    this.lists.drawViews(
      Object.entries(this.views).map(([hash, one]) => ({ hash, ...one, count: counts[hash] })),
      this.views[location.hash] && location.hash);
  }

  count() {
    if (!this.model.list) return;
    this.sum.textContent = summary(this.model) + (this.guest ? ` · guest, may ${this.guest === "ro" ? "read" : "tick"}` : "");
    this.doneBox.hidden = !this.model.doneCount;
    this.doneTitle.querySelector(".done-count").textContent = String(this.model.doneCount);
    const isEmpty = !this.model.openCount;
    this.empty.hidden = !isEmpty || !this.skeleton.hidden;
    if (isEmpty) {
      this.empty.replaceChildren(
        el("p", { class: "empty-title" }, this.model.doneCount ? "All done" : "Nothing here yet"),
        el("p", { hidden: this.guest }, this.model.doneCount ? "Add the next thing." : "Type what comes first, or paste several lines at once."));
    }
  }

  // MARK: Views of the same rows

  heading() {
    const { columns, shown } = this.model;
    const width = { int: "5rem", num: "6rem", counter: "7.5rem", date: "8rem", bool: "5rem", time: "9rem", url: "10rem" };
    const template = shown.map((column) => width[column.type] ?? "8.5rem").join(" ");
    this.main.style.setProperty("--cells", template || "0");
    this.main.classList.toggle("has-columns", columns.length > 0);
    this.heads.hidden = !columns.length;
    this.heads.replaceChildren(
      el("span", { class: "head-title" }, this.model.title),
      el("span", { class: "cells" }, ...shown.map((column) => el(
        "span", { class: ["int", "num", "counter"].includes(column.type) ? "number" : "" }, column.name))));
    const names = [["", "Shared order"], ["text", `By ${this.model.title === "item" ? "name" : this.model.title}`],
      ...columns.map((column) => [`col:${column.name}`, `By ${column.name}`])];
    this.sort.replaceChildren(...names.map(([value, name]) => el("option", { value }, name)));
    this.main.classList.remove("is-sorted");
  }

  /** Another order on this screen only; the shared one stays as it is. */
  sortBy(value) {
    this.rows.order = value ? { column: value === "text" ? null : this.model.column(value.slice(4)) } : null;
    this.main.classList.toggle("is-sorted", value !== "");
    this.model.reordered(null);
    for (const item of this.model.items.values()) if (item.kids.length) this.model.reordered(item.id);
    this.messages.say(value ? "Sorted on this screen only; the shared order stays" : "Shared order");
  }

  find() {
    const words = this.query.value.trim().toLowerCase();
    this.rows.filter = words;
    this.model.reordered(null);
    for (const item of this.model.items.values()) if (item.kids.length) this.model.reordered(item.id);
    clearTimeout(this.searching);
    this.found.hidden = true;
    if (words.length < 2) return;
    this.searching = setTimeout(async () => {
      try {
        const found = await search(words, this.lists.all, this.model.list?.id);
        if (this.query.value.trim().toLowerCase() !== words) return;
        this.found.hidden = !found.length;
        this.found.replaceChildren(el("h2", {}, "In other lists"), ...found.map(({ list, items }) => el(
          "div", { class: "found-list" },
          el("a", { href: `/lists/${list.handle}`, dir: "auto", on: { click: (event) => this.lists.go(event, list) } }, list.name),
          el("ul", { role: "list" }, ...items.map((item) => el("li", { dir: "auto" }, item.text))))));
      } catch (refusal) { this.messages.trouble(refusal); }
    }, searchPace);
  }
}

// Pages that only explain something have no list to take over.
if (document.getElementById("list")) new App().start();
