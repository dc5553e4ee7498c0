// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `dev assets Sources/WebPages`.

extension GeneratedAssets {
  static let moverJs = #"""
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Moving rows: by pointer from the handle, by keys on the handle, by Alt and arrows anywhere in a row.

import { el } from "./dom.js";

const threshold = 4;
const edge = 72;
const nestAfter = 36;

export class Mover {
  constructor(rows, actions, messages) {
    this.rows = rows;
    this.model = rows.model;
    this.actions = actions;
    this.messages = messages;
    this.mark = el("div", { class: "drop-mark", hidden: true });
    document.body.append(this.mark);
    this.drag = null;
    this.lifted = null;
  }

  /** Listens on an element that holds rows. */
  attach(root) {
    root.addEventListener("pointerdown", (event) => this.down(event));
    root.addEventListener("pointermove", (event) => this.moved(event));
    root.addEventListener("pointerup", (event) => this.up(event));
    root.addEventListener("pointercancel", () => this.cancel());
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusout", (event) => {
      if (this.lifted && !this.rows.isMoving && event.target.closest(".grip")) this.putBack();
    });
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.drag) this.cancel();
    });
  }

  get isFixed() { return this.rows.order !== null || document.body.classList.contains("read-only"); }

  // MARK: Pointer

  down(event) {
    const grip = event.target.closest(".grip");
    if (!grip || event.button !== 0 || this.isFixed) return;
    const item = this.rows.of(grip);
    if (!item) return;
    grip.setPointerCapture(event.pointerId);
    const box = grip.closest(".row").getBoundingClientRect();
    this.drag = {
      item, grip, row: grip.closest(".row"), x: event.clientX, y: event.clientY,
      startX: event.clientX, startY: event.clientY, top: event.clientY - box.top,
    };
  }

  moved(event) {
    const drag = this.drag;
    if (!drag) return;
    [drag.x, drag.y] = [event.clientX, event.clientY];
    if (!drag.ghost) {
      if (Math.hypot(drag.x - drag.startX, drag.y - drag.startY) < threshold) return;
      this.lift(drag);
    }
    event.preventDefault();
    this.aim();
  }

  lift(drag) {
    const box = drag.row.getBoundingClientRect();
    drag.ghost = drag.row.cloneNode(true);
    drag.ghost.classList.add("ghost");
    drag.ghost.setAttribute("aria-hidden", "true");
    drag.ghost.inert = true;
    drag.ghost.style.width = `${box.width}px`;
    drag.ghost.style.left = `${box.left}px`;
    document.body.append(drag.ghost);
    drag.row.classList.add("is-lifted");
    document.body.classList.add("is-dragging");
    drag.scroll = requestAnimationFrame(() => this.scroll());
  }

  /** Finds the place under the pointer and marks it. */
  aim() {
    const drag = this.drag;
    drag.ghost.style.transform = `translate(${Math.min(Math.max(drag.x - drag.startX, -24), 120)}px, ${drag.y - drag.top}px)`;
    const holder = this.rows.open.getBoundingClientRect();
    const y = Math.max(holder.top + 2, Math.min(drag.y, holder.bottom - 2));
    const row = document.elementFromPoint(holder.left + holder.width / 2, Math.min(Math.max(y, 1), innerHeight - 1))
      ?.closest(".row");
    const over = row && this.rows.of(row);
    drag.target = null;
    this.mark.hidden = true;
    if (!over || this.model.isInside(over.id, drag.item.id) || over.isDone !== drag.item.isDone && !over.parent) return;
    const line = row.firstElementChild.getBoundingClientRect();
    const isBelow = y > line.top + line.height / 2;
    const nests = isBelow && drag.x - drag.startX > nestAfter;
    const kids = this.model.kids(over.parent);
    if (nests) {
      drag.target = { parent: over.id, after: this.lastKid(over, drag.item) };
    } else if (isBelow) {
      drag.target = { parent: over.parent, after: over.id };
    } else {
      const before = kids.filter((id) => id !== drag.item.id);
      drag.target = { parent: over.parent, after: before[before.indexOf(over.id) - 1] ?? null };
    }
    const indent = nests ? 40 : 0;
    this.mark.hidden = false;
    this.mark.style.top = `${isBelow ? line.bottom : line.top}px`;
    this.mark.style.left = `${line.left + indent}px`;
    this.mark.style.width = `${line.width - indent}px`;
  }

  lastKid(parent, moving) {
    return parent.kids.filter((id) => id !== moving.id).at(-1) ?? null;
  }

  /** Near the edges of the window the page scrolls, faster the nearer. */
  scroll() {
    const drag = this.drag;
    if (!drag?.ghost) return;
    const up = edge + 56 - drag.y;
    const down = drag.y - (innerHeight - edge);
    if (up > 0 || down > 0) {
      scrollBy(0, up > 0 ? -Math.min(up, edge) / 3 : Math.min(down, edge) / 3);
      this.aim();
    }
    drag.scroll = requestAnimationFrame(() => this.scroll());
  }

  up() {
    const drag = this.drag;
    if (!drag) return;
    const target = drag.ghost && drag.target;
    this.cancel();
    if (!target || !this.model.get(drag.item.id)) return;
    const kids = this.model.kids(drag.item.parent);
    const before = kids[kids.indexOf(drag.item.id) - 1] ?? null;
    if (target.after === drag.item.id) return;
    if (target.parent === drag.item.parent && target.after === before) return;
    this.actions.move(drag.item, target.parent, target.after);
    this.focus(drag.item);
  }

  cancel() {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    cancelAnimationFrame(drag.scroll);
    drag.ghost?.remove();
    drag.row.classList.remove("is-lifted");
    document.body.classList.remove("is-dragging");
    this.mark.hidden = true;
  }

  focus(item) {
    requestAnimationFrame(() => this.rows.rowOf(item.id)?.querySelector(".grip").focus({ preventScroll: true }));
  }

  // MARK: Keys

  key(event) {
    const item = this.rows.of(event.target);
    if (!item || event.ctrlKey || event.metaKey || event.target.closest(".editor")) return;
    const isGrip = event.target.closest(".grip") !== null;
    if (event.altKey && event.key.startsWith("Arrow")) {
      event.preventDefault();
      if (!this.isFixed) this.go(item, event.key);
    } else if (isGrip && (event.key === " " || event.key === "Enter")) {
      event.preventDefault();
      if (this.lifted) this.putDown(); else if (!this.isFixed) this.take(item, event.target.closest(".grip"));
    } else if (isGrip && this.lifted && event.key.startsWith("Arrow")) {
      event.preventDefault();
      this.carry(event.key);
    } else if (this.lifted && event.key === "Escape") {
      event.preventDefault();
      this.putBack();
    }
  }

  go(item, key) {
    switch (key) {
      case "ArrowUp": this.actions.step(item, -1); break;
      case "ArrowDown": this.actions.step(item, 1); break;
      case "ArrowRight": this.actions.nest(item); break;
      case "ArrowLeft": this.actions.unnest(item); break;
    }
  }

  take(item, grip) {
    const kids = this.model.kids(item.parent);
    this.lifted = { item, grip, parent: item.parent, after: kids[kids.indexOf(item.id) - 1] ?? null };
    item.pending.set("place", (item.pending.get("place") ?? 0) + 1);
    grip.setAttribute("aria-pressed", "true");
    this.rows.rowOf(item.id).classList.add("is-carried");
    const beside = this.model.siblings(item);
    this.messages.say(`${item.text} lifted, ${beside.indexOf(item.id) + 1} of ${beside.length}. `
      + "Arrows move it, Space drops it, Escape puts it back.");
  }

  /** Moves the lifted row on this screen only. */
  carry(key) {
    const { item } = this.lifted;
    const model = this.model;
    const beside = model.siblings(item);
    const at = beside.indexOf(item.id);
    let place = null;
    if (key === "ArrowUp" && at > 0) {
      const kids = model.kids(item.parent);
      place = [item.parent, kids[kids.indexOf(beside[at - 1]) - 1] ?? null];
    } else if (key === "ArrowDown" && at < beside.length - 1) {
      place = [item.parent, beside[at + 1]];
    } else if (key === "ArrowRight" && at > 0) {
      place = [beside[at - 1], model.kids(beside[at - 1]).at(-1) ?? null];
    } else if (key === "ArrowLeft" && item.parent) {
      place = [model.get(item.parent).parent, item.parent];
    }
    if (!place) return;
    model.place(item, ...place);
    this.actions.sayPlace(item);
    this.rows.flush();
    this.rows.rowOf(item.id)?.scrollIntoView({ block: "nearest" });
  }

  letGo() {
    const lifted = this.lifted;
    this.lifted = null;
    lifted.grip.setAttribute("aria-pressed", "false");
    this.rows.rowOf(lifted.item.id)?.classList.remove("is-carried");
    this.model.answered(lifted.item.id, "place");
    return lifted;
  }

  putDown() {
    const { item, parent, after } = this.letGo();
    const kids = this.model.kids(item.parent);
    const now = kids[kids.indexOf(item.id) - 1] ?? null;
    if (item.parent !== parent || now !== after) this.actions.move(item, item.parent, now);
    else this.actions.sayPlace(item);
  }

  putBack() {
    const { item, parent, after } = this.letGo();
    if (!this.model.get(item.id)) return;
    this.model.place(item, parent, after);
    this.messages.say(`${item.text} is back at its place`);
  }
}

"""#
}
