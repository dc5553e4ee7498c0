// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Elements and icons. What comes from data only ever becomes a text node or an attribute value.

/** Makes an element. `on` holds listeners, names with a dash are attributes, the rest properties. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name === "on") {
      for (const [event, take] of Object.entries(value)) node.addEventListener(event, take);
    } else if (name === "class") {
      node.className = value;
    } else if (name.includes("-") || name === "role" || name === "for") {
      node.setAttribute(name, value);
    } else {
      node[name] = value;
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const shapes = {
  more: "M5 12h.01M12 12h.01M19 12h.01",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  chevron: "M6 9l6 6 6-6",
  search: "M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M20 20l-4-4",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  fork: "M7 4v6a5 5 0 0 0 5 5h0a5 5 0 0 0 5-5V4M12 15v5",
  peers: "M4 6h10v8H4zM10 18h10v-8h-3M7 18h4",
  link: "M10 14L20 4M14 4h6v6M18 14v6H4V6h6",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4",
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6v1",
};

/** A stroke icon of 24 units, hidden from assistive technology. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon icon-${name}`);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", shapes[name]);
  svg.append(path);
  return svg;
}

/** The http(s) address in a text, if there is one; anything else is never made a link. */
export function address(text) {
  const found = /https?:\/\/[^\s<>"]+/i.exec(text ?? "");
  if (!found || !URL.canParse(found[0])) return null;
  const url = new URL(found[0]);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
}

/** "1 item", "3 items". */
export function counted(count, one, many = one + "s") {
  return `${count} ${count === 1 ? one : many}`;
}

/** A point in time for people: "now", "5 min ago", "14:02", "3 May". */
export function ago(text) {
  const then = new Date(text);
  const minutes = (Date.now() - then) / 60000;
  if (!(minutes >= 0) || minutes < 1) return "now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  if (minutes < 12 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const clock = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (minutes < 24 * 60) return clock;
  return then.toLocaleDateString([], { day: "numeric", month: "short" });
}
