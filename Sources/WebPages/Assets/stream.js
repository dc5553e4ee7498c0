// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The events of the agent, once for all tabs: one tab holds a lock and the stream, the others listen
// to it. Every tab has its own cursor; a hole in the numbers is filled by `/changes`.

import { get, parsed } from "./api.js";

const kinds = ["add", "set", "done", "undone", "mv", "rm", "restore", "list"];
const troubleAfter = 4000;
const probeEvery = 1500;
const probeTime = 3000;

const number = (cursor) => Number(/^c-(\d+)$/.exec(cursor ?? "")?.[1] ?? NaN);

export class Stream {
  /**
   * `take.events(list)`: in order, without holes and repeats; `take.lost()`: read all again;
   * `take.state({ phase, since, isLive })`; `take.status(reply)`; `take.notice(notice)`.
   * A guest hears of one list, so its tabs share nothing with others.
   */
  constructor(take, guest) {
    this.take = take;
    this.guest = guest;
    this.name = guest ? "hedgerow-guest" : "hedgerow";
    this.cursor = NaN;
    this.isLeader = false;
    this.isOpen = false;
    this.isRefused = false;
    this.troubleSince = null;
    this.lastGood = new Date();
    this.retry = 250;
    /** Reads under way. */
    this.readers = 0;
    this.waiting = [];
  }

  /** Begins to listen; events wait for the first cursor. */
  start() {
    if (this.timer) return;
    if ("BroadcastChannel" in self && navigator.locks) {
      this.channel = new BroadcastChannel(this.name);
      this.channel.onmessage = (message) => this.heard(message.data);
    }
    document.addEventListener("visibilitychange", () => this.seen());
    addEventListener("pagehide", () => this.close());
    this.timer = setInterval(() => this.tick(), 500);
    this.lead();
    this.channel?.postMessage({ type: "who" });
  }

  /** While a list is read, events wait. */
  pause() { this.readers++; }

  /** A read is over; `cursor` is where it stands, `null` if it failed. */
  resume(cursor) {
    this.readers--;
    if (cursor) this.cursor = number(cursor);
    if (this.readers || Number.isNaN(this.cursor)) return;
    this.start();
    const held = this.waiting;
    this.waiting = [];
    for (const { before, event } of held) this.event(before, event);
    if (!this.source) this.open();
  }

  // MARK: Who holds the stream

  async lead() {
    if (!this.channel) {
      this.isLeader = true;
      return this.open();
    }
    if (this.isQueued || document.hidden) return;
    this.isQueued = true;
    await navigator.locks.request(`${this.name}-stream`, () => {
      if (document.hidden) return null;
      this.isLeader = true;
      this.open();
      return new Promise((release) => { this.release = release; });
    });
    this.isQueued = false;
    this.isLeader = false;
    if (!document.hidden) this.lead();
  }

  seen() {
    if (document.hidden) {
      this.close();
      this.release?.();
      this.release = null;
      return;
    }
    this.catchUp();
    this.lead();
    if (!this.channel) this.open();
    this.probe();
  }

  heard(message) {
    switch (message.type) {
      case "who":
        if (this.isLeader) this.tell({ type: "state", isOpen: this.isOpen, trouble: this.troubleSince });
        break;
      case "event": this.event(message.before, message.event); break;
      case "status": this.good(message.status); break;
      case "notice": this.take.notice(message.notice); break;
      case "state":
        if (this.isLeader) break;
        this.isOpen = message.isOpen;
        this.troubleSince = message.trouble;
        if (message.cursor > this.cursor) this.catchUp();
        this.report();
        break;
    }
  }

  tell(message) { this.channel?.postMessage(message); }

  // MARK: The stream

  open() {
    this.close();
    if (!this.isLeader || Number.isNaN(this.cursor)) return;
    const source = new EventSource(`/api/v1/events?initial=0&since=c-${this.cursor}`);
    this.source = source;
    // Where the stream stood before the event that comes next.
    let before = this.cursor;
    source.addEventListener("live", (event) => {
      this.retry = 250;
      this.isOpen = true;
      this.well();
      this.tell({ type: "state", isOpen: true, trouble: null, cursor: number(JSON.parse(event.data).cursor) });
    });
    source.addEventListener("gap", () => {
      this.close();
      this.lose();
      this.tell({ type: "state", isOpen: false, trouble: null, cursor: Infinity });
    });
    for (const kind of kinds) {
      source.addEventListener(kind, (message) => {
        const event = parsed(message.data);
        this.tell({ type: "event", before, event });
        this.event(before, event);
        before = number(event.cursor);
      });
    }
    source.addEventListener("notice", (message) => {
      const notice = JSON.parse(message.data);
      this.tell({ type: "notice", notice });
      this.take.notice(notice);
    });
    source.onerror = () => {
      if (this.source !== source) return;
      this.close();
      this.ill();
      // A stream that is refused looks like one that broke: only an answer tells.
      this.probe();
      setTimeout(() => { if (!this.source) this.open(); }, this.retry);
      this.retry = Math.min(this.retry * 2, 2000);
      this.tell({ type: "state", isOpen: false, trouble: this.troubleSince });
    };
  }

  close() {
    this.source?.close();
    this.source = null;
    this.isOpen = false;
  }

  /** Takes an event that follows on `before`; if this tab is not there yet, it reads what it missed. */
  event(before, event) {
    if (this.readers || Number.isNaN(this.cursor)) {
      this.waiting.push({ before, event });
      return;
    }
    const at = number(event.cursor);
    if (at <= this.cursor) return;
    if (before > this.cursor) return void this.catchUp();
    this.cursor = at;
    this.take.events([event]);
  }

  /** Reads what is behind the cursor without a stream. */
  async catchUp() {
    if (this.isCatchingUp || this.readers || Number.isNaN(this.cursor)) return;
    this.isCatchingUp = true;
    const since = this.cursor;
    try {
      const reply = await get(`changes?since=c-${since}`);
      this.well();
      if (this.readers || Number.isNaN(this.cursor)) return;
      if (reply.events.some((event) => event.ev === "gap")) return this.lose();
      const fresh = reply.events.filter((event) => kinds.includes(event.ev) && number(event.cursor) > this.cursor);
      this.cursor = Math.max(this.cursor, number(reply.cursor));
      if (fresh.length) this.take.events(fresh);
    } catch (refusal) {
      if (refusal.status === 409 || refusal.status === 412) this.lose(); else this.failed(refusal);
    } finally {
      this.isCatchingUp = false;
    }
  }

  lose() {
    this.cursor = NaN;
    this.take.lost();
  }

  // MARK: Is it well?

  well() {
    this.troubleSince = null;
    this.isRefused = false;
    this.lastGood = new Date();
    this.report();
  }

  ill(since = Date.now()) {
    this.troubleSince ??= since;
    this.report();
  }

  failed(refusal) {
    if (refusal.status === 401 || refusal.status === 403) {
      this.isRefused = true;
      this.report();
    } else if (refusal.status === 0) {
      this.isStopped = !/slow/.test(refusal.message);
      this.ill();
    }
  }

  good(status) {
    this.lastStatus = Date.now();
    this.lastGood = new Date();
    if (!this.guest) this.take.status(status);
    if (this.isOpen || !this.isLeader) {
      this.troubleSince = null;
      this.isRefused = false;
    }
    this.report();
  }

  /** Asks the agent how it is; a stopped process keeps its connections, so only an answer counts. */
  async probe() {
    if (this.isProbing) return;
    this.isProbing = true;
    const start = Date.now();
    const slow = setTimeout(() => this.ill(start), 1000);
    try {
      const status = await get(this.guest ? "version" : "status", { signal: AbortSignal.timeout(probeTime) });
      this.isStopped = false;
      this.good(status);
      this.tell({ type: "status", status });
      if (this.isLeader && !this.source) this.open();
    } catch (refusal) {
      this.failed(refusal);
      this.ill(start);
    } finally {
      clearTimeout(slow);
      this.isProbing = false;
    }
  }

  tick() {
    if (document.hidden) return;
    const isDue = Date.now() - (this.lastStatus ?? 0) > probeEvery * (this.isLeader ? 1 : 2);
    if (isDue) this.probe();
    this.report();
  }

  report() {
    const lasting = this.troubleSince !== null && Date.now() - this.troubleSince >= troubleAfter;
    const phase = this.isRefused ? "refused"
      : lasting ? (this.isStopped ? "stopped" : "reconnecting")
      : this.isOpen ? "live" : "starting";
    if (phase === this.phase && phase !== "live") return;
    if (phase !== "starting" || !this.phase) this.phase = phase;
    this.take.state({ phase: this.phase, since: this.lastGood });
  }
}
