// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `dev assets Sources/WebPages`.

extension GeneratedAssets {
  static let appCss = #"""
/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: the hedgerow authors */

/* Colours: paper and hedge. Every pair of text and ground has a contrast of 4.5 or more. */
:root {
  color-scheme: light dark;
  --ground: #f4f3ee;
  --sheet: #fffefb;
  --raised: #ffffff;
  --ink: #1b211d;
  --soft: #59635b;
  --line: #e3e1d8;
  --line-strong: #8b9389;
  --hedge: #2b6147;
  --hedge-deep: #1f4a35;
  --on-hedge: #ffffff;
  --tint: #e4eee6;
  --hover: #f1f1ea;
  --up: #17693f;
  --up-ground: #e0f1e6;
  --down: #a5302a;
  --down-ground: #fbe7e4;
  --amber: #8a5a00;
  --shadow: 0 1px 2px rgb(27 33 29 / 6%), 0 8px 28px rgb(27 33 29 / 7%);
  --shadow-high: 0 2px 6px rgb(27 33 29 / 10%), 0 18px 48px rgb(27 33 29 / 20%);
  --round: 14px;
  --grip: 2rem;
  font: 100%/1.5 Inter, ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-feature-settings: "cv11", "ss03";
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101411;
    --sheet: #171c18;
    --raised: #1f2620;
    --ink: #e7ebe4;
    --soft: #a0aca1;
    --line: #2a322c;
    --line-strong: #77837a;
    --hedge: #8ccaa5;
    --hedge-deep: #b4dfc4;
    --on-hedge: #0d1a12;
    --tint: #213229;
    --hover: #1e2520;
    --up: #86d6a6;
    --up-ground: #1b3526;
    --down: #f3a59c;
    --down-ground: #3d211f;
    --amber: #e6b967;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 8px 28px rgb(0 0 0 / 30%);
    --shadow-high: 0 2px 6px rgb(0 0 0 / 50%), 0 18px 48px rgb(0 0 0 / 60%);
  }
}

/* Ground rules */
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding: 8rem 0 6rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
button, input, select, textarea { font: inherit; color: inherit; letter-spacing: inherit; }
button { background: none; border: 0; padding: 0; cursor: pointer; text-align: inherit; }
h1, h2, p, ul { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: var(--hedge); }
code, kbd { font: 0.875em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { background: var(--tint); border-radius: 5px; padding: 0.1em 0.4em; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--hedge); outline-offset: 2px; border-radius: 6px; }
.out-of-sight { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999rem; top: 0.5rem; z-index: 60; background: var(--raised); padding: 0.5rem 1rem; border-radius: 8px; }
.skip:focus { left: 0.5rem; }
html:not(.is-scripted) .scripted { display: none; }
.icon { width: 1.25rem; height: 1.25rem; fill: none; stroke: currentcolor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; flex: none; }
.icon-grip, .icon-more { stroke-width: 2.6; }
.icon-button { display: grid; place-items: center; width: 2rem; height: 2rem; border-radius: 8px; color: var(--soft); flex: none; }
.icon-button:hover { background: var(--hover); color: var(--ink); }
.fine { color: var(--soft); font-size: 0.875rem; }
.primary, .danger, .quiet {
  display: inline-flex; align-items: center; justify-content: center; gap: 0.4rem; min-height: 2.25rem; padding: 0.25rem 1rem;
  border-radius: 9px; font-weight: 560; font-size: 0.9375rem; white-space: nowrap;
}
.primary { background: var(--hedge); color: var(--on-hedge); }
.primary:hover { background: var(--hedge-deep); }
.danger { background: var(--down); color: var(--sheet); }
.quiet { border: 1px solid var(--line); background: var(--raised); color: var(--ink); }
.quiet:hover { border-color: var(--line-strong); }
button:disabled { opacity: 0.5; cursor: default; }
.link-button { color: var(--hedge); font-weight: 560; text-decoration: underline; text-underline-offset: 2px; }

/* Frame */
.top {
  position: sticky; top: 0; z-index: 20; display: flex; align-items: center; gap: 0.75rem; height: 3.5rem; padding: 0 1.25rem;
  background: color-mix(in srgb, var(--ground) 88%, transparent); backdrop-filter: blur(12px); border-bottom: 1px solid var(--line);
}
.brand {
  display: flex; align-items: center; gap: 0.55rem; width: 15rem; color: var(--ink); font-weight: 640; font-size: 1.0625rem;
  letter-spacing: -0.015em; text-decoration: none;
}
.brand svg { width: 1.625rem; height: 1.625rem; fill: none; stroke: var(--hedge); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.search { position: relative; flex: 1; max-width: 24rem; }
.search .icon { position: absolute; left: 0.7rem; top: 50%; translate: 0 -50%; width: 1rem; height: 1rem; color: var(--soft); pointer-events: none; }
.search input {
  width: 100%; height: 2.25rem; padding: 0 0.75rem 0 2.1rem; border: 1px solid var(--line); border-radius: 9px; background: var(--sheet);
  font-size: 0.9375rem;
}
.search input:hover { border-color: var(--line-strong); }
::placeholder { color: var(--soft); opacity: 1; }
#nav-toggle { display: none; }
.frame { display: grid; grid-template-columns: 16.5rem minmax(0, 1fr); }
#nav { position: sticky; top: 3.5rem; align-self: start; max-height: calc(100vh - 3.5rem); overflow: auto; padding: 1.5rem 0.75rem 2rem; }
.nav-title { padding: 0 0.65rem 0.35rem; color: var(--soft); font-size: 0.75rem; font-weight: 600; letter-spacing: 0.04em; }
.lists a, #nav ul a {
  display: flex; align-items: center; gap: 0.6rem; min-height: 2.25rem; padding: 0.3rem 0.65rem; border-radius: 9px; color: var(--ink);
  text-decoration: none; font-size: 0.9375rem;
}
.lists a:hover { background: color-mix(in srgb, var(--tint) 55%, transparent); }
#nav ul a[aria-current] { background: var(--tint); color: var(--hedge-deep); font-weight: 600; }
.list-name { flex: 1; min-width: 0; }
.list-count:empty { display: none; }
.list-count { color: var(--soft); font-size: 0.8125rem; font-variant-numeric: tabular-nums; font-weight: 450; }
.new-list { margin: 0.5rem 0.65rem 1rem; padding-left: 0.6rem; background: none; border-style: dashed; border-color: var(--line-strong); min-height: 2rem; font-size: 0.875rem; }
.new-list .icon { width: 1rem; height: 1rem; }
.views { border-top: 1px solid var(--line); padding-top: 0.75rem; }
.views .icon { width: 1.1rem; height: 1.1rem; color: var(--soft); }
main { width: 100%; max-width: 64rem; padding: 2rem 2.5rem 8rem; margin: 0 auto; }
.head { display: flex; align-items: center; flex-wrap: wrap; gap: 0.25rem 0.75rem; margin-bottom: 1.1rem; }
.head-words { flex: 1; display: flex; align-items: baseline; flex-wrap: wrap; gap: 0 0.9rem; min-width: 12rem; }
h1 { font-size: 2rem; line-height: 1.2; font-weight: 680; letter-spacing: -0.028em; }
.sum { color: var(--soft); font-variant-numeric: tabular-nums; font-size: 0.9375rem; }
.head:has(> h1) { display: block; margin-bottom: 1.25rem; }
.head > h1 + .sum { max-width: 46rem; margin-top: 0.3rem; }
select { appearance: none; } .sort, .field select, .editor select { border: 1px solid var(--line); border-radius: 9px; background-color: var(--sheet); padding: 0 0.75rem; height: 2.25rem; font-size: 0.875rem; cursor: pointer; }
.sort, .field select, .add-fields select, .editor select { padding-right: 1.9rem; background-image: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 12 12'%3E%3Cpath d='M2.5 4.5 6 8l3.5-3.5' fill='none' stroke='%237b877d' stroke-width='1.5'/%3E%3C/svg%3E"); background-repeat: no-repeat; background-position: right 0.6rem center; background-size: 0.8rem; }
.sort:hover { border-color: var(--line-strong); }
.is-sorted .sort { border-color: var(--hedge); color: var(--hedge); }
.notice { border-left: 3px solid var(--amber); background: var(--sheet); padding: 0.75rem 1rem; border-radius: 6px; margin: 0.75rem 0; }

/* Add box */
.add { position: relative; margin-bottom: 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow); }
.add:focus-within { border-color: var(--hedge); }
.add-line { display: flex; align-items: center; gap: 0.5rem; padding: 0.4rem 0.4rem 0.4rem 1rem; }
.add-line .icon { color: var(--hedge); }
.add-line > input { flex: 1; min-width: 0; height: 2.5rem; padding: 0 0.5rem; border: 0; background: none; outline: 0; font-size: 1.0625rem; }
.add-fields { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(4.5rem, 7rem); gap: 0.4rem; }
.add-fields input, .add-fields select { width: 100%; height: 2.25rem; padding: 0 0.6rem; border: 1px solid transparent; border-radius: 8px; background-color: var(--hover); font-size: 0.9375rem; outline: 0; appearance: none; }
.add-fields :is(input, select):hover { border-color: var(--line-strong); }
.add-fields :is(input, select):focus { border-color: var(--hedge); background-color: var(--raised); }
.add-fields select:has(option:first-child:checked) { color: var(--soft); }
.add-note:not(:empty) { padding: 0 1rem 0.7rem 3rem; color: var(--amber); font-size: 0.875rem; }
#suggestions { position: absolute; top: 3.4rem; left: 0.5rem; right: 0.5rem; z-index: 15; background: var(--raised); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow-high); padding: 0.3rem; }
#suggestions li { display: flex; justify-content: space-between; gap: 1rem; padding: 0.5rem 0.75rem 0.5rem 2.1rem; border-radius: 8px; cursor: pointer; }
#suggestions li:hover, #suggestions [aria-selected="true"] { background: var(--tint); }
.hint { color: var(--soft); font-size: 0.8125rem; }

/* Rows */
.heads, .line { display: grid; grid-template-columns: var(--grip) 1.75rem minmax(0, 1fr) auto 2.25rem; align-items: center; gap: 0 0.35rem; padding: 0 0.5rem; }
.heads { color: var(--soft); font-size: 0.75rem; font-weight: 560; padding: 0 calc(0.5rem + 1px) 0.35rem; }
.head-title { grid-column: 3; }
.cells { display: grid; grid-template-columns: var(--cells, 0); gap: 0 0.25rem; }
.heads .cells span { padding: 0 0.5rem; overflow: hidden; text-overflow: ellipsis; }
main > .rows, .done-box > .rows { background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow); }
.rows:empty { display: none; }
.row { position: relative; }
main > .rows > .row, .done-box > .rows > .row { content-visibility: auto; contain-intrinsic-size: auto 2.9rem; }
main > .rows > .row + .row, .done-box > .rows > .row + .row { border-top: 1px solid var(--line); }
.line { min-height: 2.85rem; border-radius: 0; transition: background 0.12s; }
.row:first-child > .line { border-top-left-radius: 13px; border-top-right-radius: 13px; }
.row:last-child > .line:last-child { border-bottom-left-radius: 13px; border-bottom-right-radius: 13px; }
.line:hover, .line:focus-within { background: var(--hover); }
.below { padding: 0 0 0.35rem 2.1rem; }
.below .line { min-height: 2.35rem; border-radius: 9px; }
.grip { cursor: grab; touch-action: none; color: var(--line-strong); }
.grip .icon { width: 1.1rem; }
@media (hover: hover) {
  .grip, .more { opacity: 0.35; transition: opacity 0.12s; }
  .line:hover :is(.grip, .more), .line:focus-within :is(.grip, .more) { opacity: 1; }
}
.tick {
  appearance: none; width: 1.25rem; height: 1.25rem; margin: 0; justify-self: center; border: 1.6px solid var(--line-strong); border-radius: 6.5px;
  background: var(--raised); cursor: pointer; display: grid; place-items: center; transition: background 0.12s, border-color 0.12s; position: relative;
}
.tick::after { content: ""; position: absolute; inset: -0.7rem; }
.tick:hover { border-color: var(--hedge); background: var(--tint); }
.tick:checked { background: var(--hedge); border-color: var(--hedge); }
.tick::before { content: ""; width: 0.72rem; height: 0.72rem; background: var(--on-hedge); clip-path: polygon(14% 46%, 0 61%, 40% 100%, 100% 18%, 85% 5%, 39% 70%); scale: 0; transition: scale 0.14s; }
.tick:checked::before { scale: 1; }
.words { display: flex; align-items: center; flex-wrap: wrap; gap: 0 0.6rem; min-width: 0; position: relative; }
.text { flex: 0 1 auto; min-width: 2rem; padding: 0.4rem 0.45rem; border-radius: 7px; cursor: text; text-align: start; unicode-bidi: plaintext; }
.is-done > .line .text { color: var(--soft); text-decoration: line-through; text-decoration-thickness: 1px; }
.count:not(:empty) { padding: 0.05rem 0.5rem; border-radius: 99px; background: var(--tint); color: var(--hedge-deep); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.cell { min-height: 2rem; padding: 0.2rem 0.5rem; border-radius: 7px; cursor: text; font-size: 0.9375rem; overflow: hidden; text-overflow: ellipsis; }
.cell:hover, .text:hover { background: color-mix(in srgb, var(--line) 55%, transparent); }
.number { text-align: end; font-variant-numeric: tabular-nums; }
.cell.is-empty::before { content: "–"; color: var(--line-strong); opacity: 0; }
.line:hover .cell.is-empty::before, .cell.is-empty:focus-visible::before { opacity: 1; }
.badge:not(:empty) { display: inline-flex; gap: 0.4rem; padding: 0.1rem 0.55rem; border-radius: 99px; font-size: 0.8125rem; font-weight: 600; font-variant-numeric: tabular-nums; animation: leave 20s forwards; }
.badge.up { color: var(--up); background: var(--up-ground); }
.badge.down { color: var(--down); background: var(--down-ground); }
.by { font-weight: 450; }
.is-pending .text { color: var(--soft); }
.is-pending .tick { border-style: dashed; }
.is-fresh > .line { animation: fresh 2.4s; }
@keyframes fresh { from { background: var(--tint); } }
@keyframes leave { 0%, 85% { opacity: 1; } to { opacity: 0; } }
.is-lifted > * { opacity: 0.25; }
.is-carried > .line { background: var(--tint); outline: 2px solid var(--hedge); outline-offset: -2px; }
.is-dragging, .is-dragging * { cursor: grabbing !important; user-select: none; }
.ghost { position: fixed; top: 0; z-index: 40; pointer-events: none; background: var(--raised); border-radius: 12px; box-shadow: var(--shadow-high); list-style: none; rotate: 0.4deg; max-height: 12rem; overflow: hidden; }
.drop-mark { position: fixed; z-index: 39; height: 3px; margin-top: -1.5px; border-radius: 2px; background: var(--hedge); pointer-events: none; }
.drop-mark::before { content: ""; position: absolute; left: -4px; top: -3px; width: 9px; height: 9px; border-radius: 50%; background: var(--hedge); }
.is-sorted .grip { visibility: hidden; }
.done-box { margin-top: 1.25rem; }
.done-box summary { display: inline-flex; align-items: center; gap: 0.4rem; padding: 0.35rem 0.6rem; border-radius: 8px; cursor: pointer; color: var(--soft); font-size: 0.9375rem; font-weight: 560; list-style: none; }
.done-box summary::-webkit-details-marker { display: none; }
.done-box summary:hover { color: var(--ink); }
.done-box summary .icon { rotate: -90deg; width: 1rem; transition: rotate 0.15s; }
.done-box[open] summary .icon { rotate: 0deg; }
.done-count { font-variant-numeric: tabular-nums; font-weight: 450; }
.done-box > .rows { box-shadow: none; background: none; margin-top: 0.4rem; }
.empty { text-align: center; padding: 3.5rem 1rem; color: var(--soft); border: 1.5px dashed var(--line); border-radius: var(--round); }
.empty-title { color: var(--ink); font-size: 1.125rem; font-weight: 600; letter-spacing: -0.01em; margin-bottom: 0.2rem; }
.welcome { margin: 10vh auto 0; max-width: 30rem; border: 0; }
.welcome .primary { margin-top: 1.25rem; }
.skeleton { background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); padding: 0.2rem 1.25rem; }
.bone { height: 1rem; margin: 0.95rem 0; border-radius: 6px; background: var(--line); animation: breathe 1.4s infinite alternate; }
.bone:nth-child(2n) { width: 62%; }
.bone:nth-child(3n) { width: 44%; }
@keyframes breathe { to { opacity: 0.45; } }

/* Editing in place */
.being-edited { display: none; }
.words .editor { flex: 1; order: -1; }
.editor { position: relative; display: block; min-width: 0; }
.editor > input, .editor > select { width: 100%; height: 2.1rem; padding: 0 0.45rem; border: 1.5px solid var(--hedge); border-radius: 7px; background: var(--raised); outline: 0; }
.cells .editor { grid-row: 1; }
.cells .being-edited { display: block; visibility: hidden; }
.editor [aria-invalid="true"] { border-color: var(--down); }
.editor-note:not(:empty) { position: absolute; z-index: 12; top: calc(100% + 5px); left: 0; width: max-content; max-width: 22rem; padding: 0.4rem 0.7rem; border-radius: 9px; background: var(--raised); border: 1px solid var(--line); box-shadow: var(--shadow-high); font-size: 0.875rem; }
.cells .editor-note { left: auto; right: 0; }
main > .rows > .row:has(.editor), .done-box > .rows > .row:has(.editor) { content-visibility: visible; z-index: 5; }
.counter { display: flex; align-items: center; justify-content: space-between; gap: 0.25rem; font-variant-numeric: tabular-nums; }
.step { width: 2rem; height: 2rem; border-radius: 8px; border: 1px solid var(--line); background: var(--raised); text-align: center; font-weight: 600; }
.step:hover { border-color: var(--hedge); }

/* Chip */
.chip { display: flex; align-items: center; gap: 0.5rem; margin-left: auto; min-height: 2.25rem; padding: 0 0.25rem 0 0.8rem; border: 1px solid var(--line); border-radius: 99px; background: var(--sheet); font-size: 0.875rem; }
.dot { width: 0.5rem; height: 0.5rem; border-radius: 50%; background: var(--line-strong); flex: none; }
[data-phase="live"] .dot, [data-state="in_sync"] .dot { background: var(--up); box-shadow: 0 0 0 3px var(--up-ground); }
[data-phase="partial"] .dot, [data-phase="reconnecting"] .dot, [data-state="syncing"] .dot, [data-state="connecting"] .dot { background: var(--amber); }
[data-phase="stopped"] .dot, [data-phase="refused"] .dot { background: var(--down); }
.chip-more { display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: 50%; color: var(--soft); }
.chip-more:hover { background: var(--hover); }
.chip-more .icon { width: 1rem; }
.panel-peers { position: absolute; top: 3.4rem; right: 1.25rem; width: min(22rem, calc(100vw - 2rem)); padding: 1rem 1.1rem; background: var(--raised); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow-high); }
.panel-self { padding-bottom: 0.5rem; margin-bottom: 0.5rem; border-bottom: 1px solid var(--line); }
.panel-self span, .peer-state { color: var(--soft); }
.peers li { display: flex; align-items: center; gap: 0.6rem; padding: 0.35rem 0.2rem; font-size: 0.9375rem; }
.peer-state { margin-left: auto; font-size: 0.875rem; }
.warning { color: var(--amber); font-size: 0.875rem; margin: 0.4rem 0; }
.view-peers { max-width: 36rem; margin-bottom: 1rem; padding: 0.6rem 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow); }

/* Menu, dialogs, panel, bars */
.menu { position: fixed; z-index: 50; min-width: 15rem; max-height: calc(100vh - 1rem); overflow: auto; padding: 0.35rem; background: var(--raised); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow-high); }
.menu [role="menuitem"] { display: flex; justify-content: space-between; align-items: center; gap: 1.5rem; width: 100%; min-height: 2.1rem; padding: 0.25rem 0.7rem; border-radius: 8px; color: var(--ink); font-size: 0.9375rem; text-decoration: none; }
.menu [role="menuitem"]:not(:disabled):is(:hover, :focus) { background: var(--tint); outline: 0; }
.menu [role="menuitem"]:disabled { color: var(--soft); opacity: 0.55; }
.menu .is-danger { color: var(--down) !important; }
.menu kbd { color: var(--soft); font-family: inherit; font-size: 0.8125rem; }
.menu [role="separator"] { height: 1px; margin: 0.3rem 0.5rem; background: var(--line); }
dialog { color: inherit; border: 1px solid var(--line); background: var(--raised); box-shadow: var(--shadow-high); }
dialog::backdrop { background: rgb(15 20 16 / 42%); }
.dialog { width: min(27rem, calc(100vw - 2rem)); border-radius: 18px; padding: 1.4rem 1.5rem 1.25rem; }
h2 { font-size: 1.1875rem; font-weight: 640; letter-spacing: -0.015em; line-height: 1.3; }
.dialog-text { margin-top: 0.5rem; color: var(--soft); }
.field { display: block; margin-top: 0.9rem; }
.field > span { display: block; margin-bottom: 0.25rem; font-size: 0.8125rem; font-weight: 560; color: var(--soft); }
.field input, .field select, .field textarea { width: 100%; min-height: 2.5rem; padding: 0.35rem 0.75rem; border: 1px solid var(--line-strong); border-radius: 9px; background-color: var(--sheet); font-size: 1rem; }
.field textarea { resize: vertical; }
.field :is(input, select, textarea):focus { border-color: var(--hedge); outline: 1px solid var(--hedge); }
.field small { display: block; margin-top: 0.25rem; color: var(--soft); font-size: 0.8125rem; }
.dialog-note { min-height: 1.5rem; margin-top: 0.6rem; color: var(--down); font-size: 0.9375rem; }
.dialog-buttons { display: flex; justify-content: flex-end; gap: 0.6rem; margin-top: 0.5rem; }
.panel { position: fixed; inset: 0 0 0 auto; width: min(25rem, 100vw); height: 100dvh; max-height: none; margin: 0; padding: 1.5rem; border-width: 0 0 0 1px; overflow: auto; }
.panel-head { display: flex; align-items: start; justify-content: space-between; gap: 1rem; }
.panel .fine { margin-top: 0.9rem; }
.bars { position: fixed; z-index: 45; left: 50%; bottom: 1.25rem; translate: -50%; display: grid; gap: 0.5rem; width: max-content; max-width: calc(100vw - 1.5rem); }
.bar { display: flex; align-items: center; gap: 0.75rem; min-height: 3rem; padding: 0.3rem 0.5rem 0.3rem 1.1rem; border-radius: 13px; background: #1d2a22; color: #f2f5ef; box-shadow: var(--shadow-high); animation: rise 0.18s; }
.bar.trouble { background: #6b1f1b; color: #fff3f1; }
.bar-undo { padding: 0.35rem 0.8rem; border-radius: 8px; font-weight: 640; color: #a9e3bf; }
.bar-undo:hover { background: rgb(255 255 255 / 10%); }
.bar .icon-button { color: inherit; }
.bar .icon-button:hover { background: rgb(255 255 255 / 12%); }
.bar :focus-visible { outline-color: #a9e3bf; }
@keyframes rise { from { translate: 0 0.75rem; opacity: 0; } }
.read-only .line, .read-only .add { opacity: 0.72; }
.read-only :is(.text, .cell, .grip, .more) { cursor: default; }

/* Other views */
.cards { display: grid; gap: 0.6rem; }
.card { display: flex; align-items: center; gap: 1rem; padding: 0.8rem 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); }
.card-words { flex: 1; display: grid; gap: 0.1rem; min-width: 0; }
.sides { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.4rem; }
.side { display: grid; padding: 0.4rem 0.75rem; border: 1px solid var(--line); border-radius: 9px; min-width: 9rem; }
.side-name { color: var(--soft); font-size: 0.75rem; }
.side-value { font-weight: 560; }
.found { margin-top: 2rem; }
.found-list { margin-top: 0.75rem; }
.found li { padding: 0.15rem 0 0.15rem 1rem; }

/* Without script */
html:not(.is-scripted) main form { display: inline-flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
html:not(.is-scripted) main > form { margin: 1rem 0; }
html:not(.is-scripted) main :is(input:not([type="hidden"]), select) { min-height: 2.25rem; padding: 0 0.6rem; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--sheet); }
html:not(.is-scripted) main button { min-height: 2rem; padding: 0 0.8rem; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--raised); }
html:not(.is-scripted) .rows > li { display: flex; flex-wrap: wrap; align-items: center; gap: 0.35rem 0.75rem; padding: 0.35rem 1rem; }
html:not(.is-scripted) .rows > li + li { border-top: 1px solid var(--line); }
html:not(.is-scripted) .done .text { text-decoration: line-through; color: var(--soft); }
html:not(.is-scripted) .cell { color: var(--soft); font-size: 0.875rem; }
html:not(.is-scripted) :is(.depth-1, .depth-2, .depth-3, .depth-4) { margin-left: 2rem; }
html:not(.is-scripted) .rows details { margin-left: auto; }
html:not(.is-scripted) .rows summary { color: var(--soft); font-size: 0.875rem; cursor: pointer; }
html:not(.is-scripted) #chip { margin-left: auto; }

/* Narrow: one column, targets of 44 px, the add box where the thumb is */
@media (max-width: 60rem) {
  main { padding-inline: 1.5rem; }
  .brand { width: auto; }
  .heads { display: none; }
  .has-columns .line { grid-template-columns: var(--grip) 2.25rem minmax(0, 1fr) 2.75rem; }
  .more { grid-column: -2; grid-row: 1; }
  .cells { grid-column: 3 / 5; grid-row: 2; display: flex; flex-wrap: wrap; gap: 0 0.25rem; margin: -0.55rem 0 0.3rem; }
  .line:not(:has(.cell:not(.is-empty))) .cells { margin: 0; }
  .line:has(.badge:not(:empty)) .cells { margin-top: 0.15rem; }
  .badge { margin-left: 0.35rem; }
  .has-columns .line .cell { text-align: start; min-height: 2.1rem; font-size: 0.875rem; color: var(--soft); }
  .cell:not(.is-empty)::before { content: attr(data-col) " "; font-size: 0.75rem; opacity: 0.85; }
  .cell.is-empty { display: none; }
  .cells .being-edited { display: none; }
  .cells .editor { flex: 1 0 10rem; }
}
@media (max-width: 48rem) {
  :root { --grip: 2.25rem; }
  .top { padding: 0 0.6rem; gap: 0.4rem; }
  #nav-toggle { display: grid; }
  html:not(.is-scripted) #nav-toggle { display: none; }
  .brand { font-size: 0; gap: 0; }
  .search { max-width: none; }
  .chip-more-text { display: none; }
  .chip { padding-left: 0.7rem; gap: 0.35rem; min-height: 2.75rem; padding-right: 0; }
  .frame { display: block; }
  .is-scripted #nav { position: fixed; z-index: 31; top: 0; bottom: 0; left: 0; width: min(19rem, 86vw); height: 100dvh; max-height: none; align-self: stretch; background: var(--ground); border-right: 1px solid var(--line); box-shadow: var(--shadow-high); visibility: hidden; translate: -100%; transition: translate 0.18s, visibility 0.18s; }
  .has-drawer #nav { visibility: visible; translate: 0; }
  .has-drawer .scrim { position: fixed; inset: 0; z-index: 30; background: rgb(15 20 16 / 42%); }
  #nav ul a, .new-list, .menu [role="menuitem"], .primary, .quiet, .danger { min-height: 2.75rem; }
  main { padding: 1.1rem 0.75rem 9rem; }
  h1 { font-size: clamp(1.25rem, 6.4vw, 1.625rem); overflow-wrap: break-word; hyphens: auto; }
  .head { padding: 0 0.25rem; margin-bottom: 0.75rem; flex-wrap: nowrap; }
  .head-words { min-width: 0; }
  .head-words .sum { white-space: nowrap; font-size: 0.875rem; }
  .sort { max-width: 8.5rem; height: 2.75rem; }
  .icon-button, .chip-more { width: 2.75rem; height: 2.75rem; }
  .search input { height: 2.75rem; font-size: 1rem; }
  .is-scripted .add { position: fixed; z-index: 18; left: 0; right: 0; bottom: 0; margin: 0; border-radius: 18px 18px 0 0; border-width: 1px 0 0; box-shadow: 0 -6px 28px rgb(0 0 0 / 14%); padding-bottom: env(safe-area-inset-bottom); }
  .add-line > input, .add-line .primary { height: 2.75rem; }
  .add-line { flex-wrap: wrap; }
  .add-line > input { flex-basis: 40%; }
  .add-fields { order: 1; display: none; flex-basis: 100%; grid-auto-columns: 1fr; padding: 0 0.4rem 0.3rem 0; }
  .add-fields :is(input, select) { height: 2.75rem; min-width: 0; }
  .add:focus-within .add-fields:not([hidden]) { display: grid; }
  #suggestions { top: auto; bottom: 100%; }
  .line, .has-columns .line { grid-template-columns: var(--grip) 2.25rem minmax(0, 1fr) 2.75rem; padding: 0 0.1rem; min-height: 3rem; gap: 0; }
  .grip.icon-button { width: 2.25rem; }
  .editor > input, .editor > select { height: 2.75rem; font-size: 1rem; }
  .tick { width: 1.4rem; height: 1.4rem; }
  .below { padding-left: 1.1rem; }
  .text { min-height: 2.75rem; }
  .bars { bottom: 5rem; }
  .card { flex-wrap: wrap; }
}
@media (max-width: 22.5rem) { .sort { max-width: 7.5rem; padding: 0 1.5rem 0 0.5rem; font-size: 0.8125rem; background-position: right 0.4rem center; } }
@media (max-height: 28rem) { .top { position: static; } .is-scripted .add { position: relative; border-radius: var(--round); margin-bottom: 1rem; } }

/* Wishes of the system */
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after { animation-duration: 1ms !important; transition-duration: 1ms !important; }
  .badge:not(:empty) { animation: none; }
}
@media (forced-colors: active) {
  .tick { appearance: auto; }
  .tick::before { display: none; }
  .dot, .drop-mark { background: Highlight; forced-color-adjust: none; }
  .icon { stroke: ButtonText; }
  #nav ul a[aria-current], .is-carried > .line { outline: 2px solid Highlight; outline-offset: -2px; }
  .menu [role="menuitem"]:focus { outline: 2px solid Highlight; }
}
@media print { .top, #nav, .add, .bars, .grip, .more { display: none !important; } .frame { display: block; } }

"""#
}
