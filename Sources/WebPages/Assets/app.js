// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Says whether this page hears from the agent. Trouble is shown when it lasts.
const chip = document.getElementById("chip");
let trouble = 0;

const events = new EventSource("/api/v1/events?initial=0");
events.addEventListener("hello", () => {
  clearTimeout(trouble);
  trouble = 0;
  chip.textContent = "live";
});
events.addEventListener("error", () => {
  if (!trouble) trouble = setTimeout(() => { chip.textContent = "reconnecting"; }, 4000);
});
