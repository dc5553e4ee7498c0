# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Many rows, many tabs, and how long things take. Figures go to .build/check/browser-figures.json."""
import json
import os
import statistics
import subprocess
import time
import unittest

from pages import ROOT, PageCase, drag, wait_until

# The figures are for a machine of its own; a busy one gets more time before a test fails.
SLACK = float(os.environ.get("HEDGEROW_SLACK", "1" if os.getloadavg()[0] < 2 * (os.cpu_count() or 1) else "4"))
FIGURES = ROOT / ".build/check/browser-figures.json"


def note(name, value):
    FIGURES.parent.mkdir(parents=True, exist_ok=True)
    held = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    held[name] = value
    FIGURES.write_text(json.dumps(held, indent=1) + "\n")
    print(f"\n  {name}: {value}", flush=True)


class ManyTests(PageCase):
    def test_five_thousand_rows_are_there_at_once_and_stay_live(self):
        self.first.hedge("new", "large", "price:num")
        lines = "text,price\n" + "".join(f"row {number},{number % 900 + 1}.50\n" for number in range(5000))
        self.first.hedge("import", "@large", "-", "--format", "csv", input=lines)
        here = self.here
        here.show("large")
        paints = []
        for _ in range(3):
            here.driver.refresh()
            here.wait(lambda: here.script("return document.querySelectorAll('#rows > .block > .row').length") > 20, 20, "rows")
            paints.append(here.script("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        note("5,000 rows: first paint ms", round(statistics.median(paints)))
        here.wait(lambda: here.script("return document.querySelectorAll('#rows > .block > .row').length") == 5000, 30, "all rows")
        note("5,000 rows: all rows after ms", round(here.script("return performance.now()")))
        here.wait_live("large")
        # A change of the own agent until it stands in the page, measured in the page: the request goes
        # out, the event comes back, the cell is rewritten.
        here.script("""window.after = (price) => new Promise((done) => {
            const row = document.querySelector('#rows > .block > .row');
            const cell = row.querySelector('[data-col=price]');
            const start = performance.now();
            new MutationObserver((_, seen) => {
              if (cell.textContent !== price) return;
              seen.disconnect();
              done(performance.now() - start);
            }).observe(cell, { childList: true, characterData: true, subtree: true });
            fetch('/api/v1/txn', { method: 'POST', headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ ops: [{ op: 'set', item: row.dataset.id, cols: { price } }] }) });
          });""")
        times = [here.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; after(arguments[0]).then(done)", f"{2000 + number}.5")
            for number in range(15)]
        note("5,000 rows: change to cell ms, median of 15", round(statistics.median(times), 1))
        frames = here.driver.execute_async_script("""
          const done = arguments[arguments.length - 1];
          const times = [];
          let last = performance.now();
          const step = (now) => {
            times.push(now - last);
            last = now;
            scrollBy(0, 900);
            if (times.length < 120) requestAnimationFrame(step); else done(times);
          };
          scrollTo(0, 0);
          requestAnimationFrame(step);""")
        note("5,000 rows: scrolling, frame ms median and 95 %",
             [round(statistics.median(frames), 1), round(sorted(frames)[int(len(frames) * 0.95)], 1)])
        self.assertEqual(here.script("return document.querySelectorAll('#rows > .block > .row').length"), 5000)
        self.assertLess(statistics.median(paints), 1000 * SLACK)
        self.assertLess(statistics.median(times), 100 * SLACK)
        self.assertLess(statistics.median(frames), 20 * SLACK)

    def test_a_drag_is_seen_on_the_other_page_within_two_hundred_milliseconds(self):
        self.fresh("raced", "one", "two", "three")
        # Both pages run on this machine: one wall clock. The drop is the pointerup here, the sight is
        # the row in its new place there.
        self.here.script("addEventListener('pointerup', () => { window.dropped = Date.now(); }, true)")
        self.there.script("""window.seen = [];
          new MutationObserver((changes) => {
            if (changes.some((one) => [...one.addedNodes].some((node) => node.matches?.('.row')))) window.seen.push(Date.now());
          }).observe(document.getElementById('rows'), { childList: true, subtree: true });""")
        times = []
        for _ in range(9):
            first, *rest = self.here.rows
            drag(self.here, first, rest[-1])
            self.here.wait_rows([*rest, first])
            self.there.wait_rows([*rest, first])
            times.append(self.there.script("return window.seen.at(-1)") - self.here.script("return window.dropped"))
        note("drag on one page seen on the other ms, median and max of 9", [statistics.median(times), max(times)])
        self.assertLess(statistics.median(times), 200 * SLACK)

    def test_eight_tabs_share_one_stream_and_all_stay_live(self):
        self.fresh("tabs", "one")
        driver = self.here.driver
        home = driver.current_window_handle
        address = driver.current_url
        tabs = [home]
        try:
            for _ in range(7):
                driver.switch_to.new_window("tab")
                tabs.append(driver.current_window_handle)
                driver.get(address)
                self.here.wait_live("tabs")
            self.there.add("two")
            for tab in tabs:
                driver.switch_to.window(tab)
                self.here.wait_rows(["one", "two"], 3)
            start = time.monotonic()
            self.here.add("three")
            self.there.wait_rows(["one", "two", "three"], 3)
            self.assertLess(time.monotonic() - start, 3)
            wait_until(lambda: self.streams() <= 2, 5, lambda: f"one stream for all tabs, there are {self.streams()}")
        finally:
            for tab in tabs[1:]:
                driver.switch_to.window(tab)
                driver.close()
            driver.switch_to.window(home)
        self.here.wait_rows(["one", "two", "three"], 3)

    def streams(self):
        """Connections of browsers to the page of the first agent; each holds at most one stream."""
        done = subprocess.run(["ss", "-Htn", "state", "established", f"sport = :{self.first.web_port}"],
                              capture_output=True, text=True, check=True)
        return len(done.stdout.splitlines()) - self.idle

    # A browser keeps connections open that carry nothing: up to six to one host.
    idle = 5


if __name__ == "__main__":
    unittest.main()
