// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Dialogs that ask, and the menu that hangs on a button.

import { el, icon } from "./dom.js";

/**
 * Asks in a dialog. `fields` are `{ name, label, value, type, hint, options }`; `send(values)` may
 * throw a refusal, which is shown in the dialog.
 * @returns the values, or `null` when it was left.
 */
export function ask({ title, text, fields = [], ok = "OK", isDanger = false, send }) {
  return new Promise((resolve) => {
    const inputs = fields.map((field) => {
      const input = field.options
        ? el("select", { name: field.name }, ...field.options.map(([value, name]) => el("option", { value }, name)))
        : el("input", {
          name: field.name, type: field.type ?? "text", value: field.value ?? "", autocomplete: "off",
          dir: "auto", min: field.min, max: field.max, required: field.required ?? false,
          placeholder: field.placeholder ?? "",
        });
      return { field, input };
    });
    const note = el("p", { class: "dialog-note", role: "alert" });
    const dialog = el(
      "dialog", { class: "dialog", "aria-labelledby": "dialog-title" },
      el("form", { method: "dialog", noValidate: true, on: { submit: (event) => submit(event) } },
        el("h2", { id: "dialog-title" }, title),
        text ? el("p", { class: "dialog-text" }, text) : null,
        ...inputs.map(({ field, input }) => el(
          "label", { class: "field" }, el("span", {}, field.label), input,
          field.hint ? el("small", {}, field.hint) : null)),
        note,
        el("div", { class: "dialog-buttons" },
          el("button", { type: "button", class: "quiet", on: { click: () => dialog.close() } }, "Cancel"),
          el("button", { type: "submit", class: isDanger ? "danger" : "primary" }, ok))));
    let values = null;
    async function submit(event) {
      event.preventDefault();
      const read = Object.fromEntries(inputs.map(({ field, input }) => [field.name, input.value.trim()]));
      for (const { field, input } of inputs) {
        const wrong = field.check?.(read[field.name]) ?? null;
        if (!wrong) continue;
        note.textContent = wrong;
        return input.focus();
      }
      try { await send?.(read); } catch (refusal) {
        note.textContent = refusal.words ?? refusal.message;
        return;
      }
      values = read;
      dialog.close();
    }
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(values);
    });
    document.body.append(dialog);
    dialog.showModal();
    inputs[0]?.input.select?.();
  });
}

/** Opens a menu below a button: entries are `{ name, act, href, isDanger, isOff }` or `null` for a line. */
export function openMenu(button, label, entries) {
  const close = (returnsFocus) => {
    document.removeEventListener("pointerdown", outside, true);
    removeEventListener("scroll", leave, true);
    removeEventListener("resize", leave);
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    if (returnsFocus) button.focus();
  };
  const leave = () => close(false);
  const outside = (event) => { if (!menu.contains(event.target)) close(false); };
  const items = [];
  const menu = el("div", { class: "menu", role: "menu", "aria-label": label });
  for (const entry of entries) {
    if (!entry) {
      menu.append(el("div", { role: "separator" }));
      continue;
    }
    const act = () => { close(!entry.href); entry.act?.(); };
    const props = {
      role: "menuitem", tabIndex: -1, class: entry.isDanger ? "is-danger" : "", on: { click: act },
      "aria-disabled": entry.isOff ? "true" : undefined,
    };
    const item = entry.href
      ? el("a", { ...props, href: entry.href, target: "_blank", rel: "noopener noreferrer" }, entry.name)
      : el("button", { ...props, type: "button", disabled: entry.isOff ?? false },
        el("span", {}, entry.name), entry.keys ? el("kbd", {}, entry.keys) : null);
    menu.append(item);
    if (!entry.isOff) items.push(item);
  }
  menu.addEventListener("keydown", (event) => {
    const at = items.indexOf(document.activeElement);
    const to = {
      ArrowDown: (at + 1) % items.length, ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0, End: items.length - 1,
    }[event.key];
    if (to !== undefined) items[to].focus();
    else if (event.key === "Escape") close(true);
    else if (event.key === "Tab") return close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  (button.closest("main") ?? document.body).append(menu);
  button.setAttribute("aria-expanded", "true");
  const at = button.getBoundingClientRect();
  const box = menu.getBoundingClientRect();
  const isAbove = at.bottom + box.height + 8 > innerHeight && at.top > box.height;
  menu.style.top = `${Math.max(8, isAbove ? at.top - box.height - 4 : at.bottom + 4)}px`;
  menu.style.left = `${Math.max(8, Math.min(at.right - box.width, innerWidth - box.width - 8))}px`;
  items[0]?.focus({ preventScroll: true });
  document.addEventListener("pointerdown", outside, true);
  addEventListener("scroll", leave, true);
  addEventListener("resize", leave);
}

/** A button that only shows an icon. */
export function iconButton(name, label, act) {
  return el("button", { type: "button", class: "icon-button", "aria-label": label, on: { click: act } }, icon(name));
}
