// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Rows of a list element, in blocks: the browser lays out and paints the blocks near the view and skips
// the others. With every row a unit of its own it would look at all of them in each frame.

import { el } from "./dom.js";

/** Rows of a block when it is made; it is split beyond twice as many. */
const size = 32;

function rowFrom(block) {
  while (block && !block.firstElementChild) block = block.nextElementSibling;
  return block?.firstElementChild ?? null;
}

export const firstRow = (list) => rowFrom(list.firstElementChild);
export const rowAfter = (row) => row.nextElementSibling ?? rowFrom(row.parentElement.nextElementSibling);
export const rowsOf = (list) => [...list.children].flatMap((block) => [...block.children]);
export const countOf = (list) => [...list.children].reduce((sum, block) => sum + block.childElementCount, 0);

function fresh() { return el("div", { class: "block", role: "none" }); }

/** Where the browser can, rows move without losing focus and selection. */
function move(block, row, before) {
  if (row.isConnected && block.isConnected && block.moveBefore) block.moveBefore(row, before);
  else block.insertBefore(row, before);
}

/** Puts a row before another one of the list, or at its end (`null`). */
export function put(list, row, before) {
  let block = before ? before.parentElement : list.lastElementChild;
  if (!block || !before && block.childElementCount >= size) list.append(block = fresh());
  move(block, row, before);
}

/** Makes blocks of about one size again, after rows came and went. */
export function tidy(list) {
  let last = null;
  for (let block of [...list.children]) {
    const rows = [...block.children];
    if (last && last.childElementCount + rows.length <= size) {
      for (const row of rows) move(last, row, null);
    }
    if (!block.childElementCount) {
      block.remove();
      continue;
    }
    for (let start = size; rows.length > 2 * size && start < rows.length; start += size) {
      const next = fresh();
      block.after(next);
      for (const row of rows.slice(start, start + size)) move(next, row, null);
      block = next;
    }
    last = block;
  }
}
