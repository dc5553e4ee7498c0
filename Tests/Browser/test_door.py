# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The page without its script, and requests that are none of ours."""
import http.client
import json
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from pages import PageCase, wait_until


class DoorTests(PageCase):
    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.first.web_port, timeout=10)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if "Cookie" not in headers:
            cookie = self.here.driver.get_cookie(f"hedge-{self.first.web_port}")
            headers["Cookie"] = f"{cookie['name']}={cookie['value']}"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer

    def test_forged_hosts_foreign_sites_and_plain_text_are_refused_and_change_nothing(self):
        self.fresh("guarded", "one", both=False)
        add = json.dumps({"ops": [{"op": "add", "list": "guarded", "text": "forged"}]})
        media = {"Content_Type": "application/json"}
        own = {"Origin": self.first.origin, "Sec_Fetch_Site": "same-origin"}
        self.assertEqual(self.ask("POST", "/api/v1/txn", add, **media, **own).status, 200, "our own page may")
        forged = [
            dict(media, **own, Host="evil.example"), dict(media, **own, Host=f"evil.example:{self.first.web_port}"),
            dict(media, Origin="http://evil.example", Sec_Fetch_Site="cross-site"),
            dict(media, Sec_Fetch_Site="cross-site"), dict(media, Sec_Fetch_Site="same-site"),
            dict(own, Content_Type="text/plain"), dict(own),
            dict(media, **own, Cookie="none=1"), dict(media, **own, Cookie=f"hedge-{self.first.web_port}=guess"),
        ]
        for headers in forged:
            with self.subTest(headers=headers):
                self.assertIn(self.ask("POST", "/api/v1/txn", add, **headers).status // 100, [4])
        self.assertEqual(self.first.texts("guarded"), ["one", "forged"])
        self.assertEqual(self.ask("GET", "/api/v1/lists", Host="rebound.example").status // 100, 4)
        form = "do=add&text=forged+form"
        kind = {"Content_Type": "application/x-www-form-urlencoded"}
        self.assertEqual(self.ask("POST", "/lists/guarded", form, **kind, Origin="http://evil.example").status // 100, 4)
        self.assertEqual(self.first.texts("guarded"), ["one", "forged"])

    def test_every_answer_carries_the_policy_and_no_frame_may_hold_it(self):
        for path in ("/", "/app.js", "/app.css", "/api/v1/lists"):
            with self.subTest(path=path):
                answer = self.ask("GET", path)
                policy = answer.getheader("Content-Security-Policy")
                self.assertIn("default-src 'none'", policy)
                self.assertIn("frame-ancestors 'none'", policy)
                self.assertNotIn("unsafe", policy)
                self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff")

    def test_without_a_script_a_list_is_read_and_written(self):
        self.fresh("plain", "milk", "eggs", columns=("qty:int",), both=False)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server"):
            options.add_argument(flag)
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver"))
        try:
            driver.get(self.first.link())
            wait_until(lambda: driver.find_elements(By.CSS_SELECTOR, "nav a"), 10, "the page")
            next(link for link in driver.find_elements(By.CSS_SELECTOR, "nav a") if link.text == "plain").click()
            texts = lambda: [one.text for one in driver.find_elements(By.CSS_SELECTOR, ".rows .text")]
            self.assertEqual(texts(), ["milk", "eggs"])
            self.assertFalse(driver.find_element(By.CSS_SELECTOR, "#nav-toggle").is_displayed())
            driver.find_element(By.NAME, "col:qty").send_keys("3")
            driver.find_element(By.NAME, "text").send_keys("tea & <b>cake</b>\n")
            wait_until(lambda: texts() == ["milk", "eggs", "tea & <b>cake</b>"], 5, "added")
            self.assertEqual(self.first.json("ls", "@plain")["items"][2]["cols"], {"qty": 3})
            driver.find_element(By.CSS_SELECTOR, ".rows li:nth-child(1) button[value=done]").click()
            wait_until(lambda: driver.find_elements(By.CSS_SELECTOR, ".rows li.done"), 5, "ticked")
            driver.find_element(By.CSS_SELECTOR, ".rows li:nth-child(2) summary").click()
            field = driver.find_element(By.CSS_SELECTOR, ".rows li:nth-child(2) input[name=text]")
            field.clear()
            field.send_keys("six eggs")
            driver.find_element(By.CSS_SELECTOR, ".rows li:nth-child(2) button[value=edit]").click()
            wait_until(lambda: "six eggs" in texts(), 5, "edited")
            driver.find_element(By.CSS_SELECTOR, ".rows li:nth-child(3) summary").click()
            driver.find_element(By.CSS_SELECTOR, ".rows li:nth-child(3) button[value=rm]").click()
            wait_until(lambda: texts() == ["milk", "six eggs"], 5, "deleted")
            driver.save_screenshot(str(self.screens / "plain-1280.png"))
        finally:
            driver.quit()
        self.assertEqual(self.first.texts("plain"), ["six eggs"])

    @property
    def screens(self):
        from pages import SCREENS
        SCREENS.mkdir(parents=True, exist_ok=True)
        return SCREENS


if __name__ == "__main__":
    unittest.main()
