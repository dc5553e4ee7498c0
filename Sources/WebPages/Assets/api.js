// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Talking to the agent: reads, and writes one after the other.

/** The name under which the agent gives this tab's own writes back in events. */
export const client = "page-" + hex(6);

/** Random bytes as hex digits. */
export function hex(bytes) {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the agent refused, or that it did not answer (`status` 0). */
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.title ?? `the agent answered ${status}`);
    this.status = status;
    this.detail = problem.detail ?? "";
    this.suggest = problem.suggest ?? "";
    this.type = problem.type ?? "";
  }

  /** Title and detail as one text for people. */
  get words() {
    const more = this.suggest ? `Did you mean ${this.suggest}?` : this.detail;
    return more ? `${this.message}. ${more}` : this.message;
  }
}

/** Reads JSON; whole numbers that a number here has no room for become text. */
export function parsed(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.eE])/g, (part) =>
    part.startsWith("\"") || Number.isSafeInteger(Number(part)) ? part : `"${part}"`));
}

async function ask(method, path, body, options = {}) {
  const headers = { Accept: "application/json", "X-Hedge-Client": client };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, {
      method, headers, body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store", ...options,
    });
  } catch (error) {
    throw new Refusal(0, {
      title: error.name === "AbortError" || error.name === "TimeoutError"
        ? "the agent is slow to answer" : "the agent cannot be reached",
    });
  }
  const text = await answer.text();
  let reply = {};
  try { reply = parsed(text); } catch { reply = { title: text.slice(0, 200) || undefined }; }
  if (!answer.ok) throw new Refusal(answer.status, reply);
  return reply;
}

export const get = (path, options) => ask("GET", "/api/v1/" + path, undefined, options);

let last = Promise.resolve();
const patience = 15000;
const retryAfter = 700;

/**
 * Sends a write when all earlier ones are answered. An own event therefore always belongs to the
 * write that is under way. One that is repeatable is sent again while the agent cannot be reached.
 */
export function post(path, body, isRepeatable = false) {
  const end = performance.now() + patience;
  const send = () => ask("POST", "/api/v1/" + path, body).catch(async (refusal) => {
    if (!isRepeatable || refusal.status || performance.now() > end) throw refusal;
    await new Promise((go) => setTimeout(go, retryAfter));
    return send();
  });
  const answer = last.then(send);
  last = answer.catch(() => {});
  return answer;
}

/** Several operations, all or nothing, one undo step. */
export const transact = (...ops) => post("txn", { ops });
