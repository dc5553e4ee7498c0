// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The pages beside the lists: what was deleted, what was decided, who the peers are, what was found.

import { get, post, transact } from "./api.js";
import { peerList } from "./chip.js";
import { ago, counted, el } from "./dom.js";

const foundMax = 8;

/** The views by hash; each draws into a main element. */
export const views = {
  "#trash": { name: "Deleted", icon: "trash", draw: trash },
  "#conflicts": { name: "Decisions", icon: "fork", draw: conflicts },
  "#peers": { name: "Peers", icon: "peers", draw: peers },
};

function head(title, text) {
  return el("div", { class: "head" }, el("h1", { id: "name" }, title), el("p", { class: "sum" }, text));
}

function nothing(title, text) {
  return el("div", { class: "empty" }, el("p", { class: "empty-title" }, title), el("p", {}, text));
}

async function trash(app) {
  const reply = await get("trash");
  const card = (row) => {
    const where = [row.list ? `from ${row.list}` : "a list", row.parent && `in ${row.parent}`].filter(Boolean).join(", ");
    const line = el(
      "li", { class: "card" },
      el("div", { class: "card-words" },
        el("strong", { dir: "auto" }, row.text),
        el("span", { class: "fine", dir: "auto" },
          `${where} · ${row.by}, ${ago(row.at)}${row.hidden ? ` · with ${counted(row.hidden, "item")}` : ""}`)),
      el("button", {
        type: "button", class: "quiet", "aria-label": `Restore ${row.text}`,
        on: { click: async () => {
          try {
            await transact({ op: "restore", item: row.id });
            line.remove();
            app.messages.show(`“${row.text}” is back at its place`);
            app.lists.loadSoon();
          } catch (refusal) { app.messages.trouble(refusal); }
        } },
      }, "Restore"));
    return line;
  };
  const cards = (rows, label) => el("ul", { role: "list", class: "cards", "aria-label": label }, ...rows.map(card));
  const homeless = reply.trash.filter((row) => row.state === "recovered");
  const deleted = reply.trash.filter((row) => row.state !== "recovered");
  return [
    head("Deleted", "Nothing is lost: whatever anybody deleted can come back to its old place, at any time."),
    ...(homeless.length ? [
      el("h2", {}, "Recovered"),
      el("p", { class: "fine" }, "Put by somebody into a row or list that somebody else deleted meanwhile. Restore brings both back."),
      cards(homeless, "Recovered"), el("h2", {}, "Deleted by somebody"),
    ] : []),
    deleted.length ? cards(deleted, "Deleted") : nothing("Nothing deleted", "Rows and lists that are deleted wait here."),
  ];
}

async function conflicts(app) {
  const reply = await get("conflicts");
  const side = (name, one) => el(
    "div", { class: "side" }, el("span", { class: "side-name" }, name),
    el("span", { class: "side-value", dir: "auto" }, one.value === null ? "empty" : String(one.value)),
    el("span", { class: "fine" }, `${one.by}, ${ago(one.at)}`));
  const rows = reply.conflicts.map((row) => el(
    "li", { class: "card" },
    el("div", { class: "card-words" },
      el("strong", { dir: "auto" }, row.text),
      el("span", { class: "fine", dir: "auto" }, `${row.col} in ${row.list}`),
      el("div", { class: "sides" }, side("kept", row.kept), side("dropped", row.dropped))),
    row.taken ? el("span", { class: "fine" }, "the other value was taken") : el("button", {
      type: "button", class: "quiet", "aria-label": `Take the dropped value for ${row.text}`,
      on: { click: async () => {
        try {
          await post(`conflicts/${row.id}/take`, {});
          app.messages.show(`“${row.text}” has the other value now`);
          app.view("#conflicts");
        } catch (refusal) { app.messages.trouble(refusal); }
      } },
    }, "Take the other")));
  return [
    head("Decisions", "Two machines changed the same field apart. One value stands, the other is kept here."),
    rows.length ? el("ul", { role: "list", class: "cards", "aria-labelledby": "name" }, ...rows)
      : nothing("Nothing to decide", "When edits made apart collide, both values are shown here."),
  ];
}

async function peers(app) {
  const status = await get("status");
  app.chip.peers(status);
  const rows = el("div", { class: "view-peers" }, peerList(status.peers, true));
  return [
    head("Peers", status.peers.length ? `${status.name} is this device.` : `Only ${status.name}, this device, so far.`),
    rows,
    el("p", { class: "fine" }, "To bring another machine in: ", el("code", {}, "hedge invite"), " here, ",
      el("code", {}, "hedge join -"), " there."),
    ...(status.lan ? [
      el("p", { class: "fine" }, "Phones and other devices of this network open this page at ", el("code", {}, status.lan),
        ". Their browser warns once: what it shows as SHA-256 of the certificate must be"),
      el("p", { class: "print" }, status.certificate),
    ] : [el("p", { class: "fine" }, "To open this page on a phone: ", el("code", {}, "hedge web --lan on --qr"))]),
  ];
}

/** Rows of all lists that contain the words. */
export async function search(words, lists, current) {
  const found = [];
  for (const list of lists) {
    if (list.id === current) continue;
    const query = new URLSearchParams({ show: "all", shape: "tree", limit: String(foundMax) });
    for (const word of words.split(/\s+/).filter(Boolean)) query.append("word", word);
    const reply = await get(`lists/${list.id}/items?${query}`);
    if (reply.items.length) found.push({ list, items: reply.items });
    if (found.length >= foundMax) break;
  }
  return found;
}
