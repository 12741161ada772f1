// A headless browser: each line of standard input is a command as JSON, each line of output its result.
// node browser.mjs NODE_MODULES CHROMIUM
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 960 }, locale: "en-GB" });

function found({ selector, text, role, name, nth }) {
  let where = selector ? page.locator(selector) : page;
  if (role) where = where.getByRole(role, name ? { name } : {});
  if (text) where = selector ? where.filter({ hasText: text }) : where.getByText(text);
  return nth === undefined ? where.last() : where.nth(nth);
}

const commands = {
  open: ({ url, timeout }) => page.goto(url, { timeout, waitUntil: "domcontentloaded" }).then(() => null),
  click: ({ timeout, ...what }) => found(what).click({ timeout }),
  type: async ({ timeout, written, ...what }) => {
    await found(what).click({ timeout });
    await page.keyboard.type(written);
  },
  write: ({ written }) => page.keyboard.type(written),
  press: ({ key }) => page.keyboard.press(key),
  wait: ({ timeout, ...what }) => found(what).waitFor({ timeout }),
  read: ({ timeout, ...what }) => found(what).innerText({ timeout }),
  screenshot: ({ path }) => page.screenshot({ path }).then(() => null),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...given } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[command](given)) ?? null };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  console.log(JSON.stringify(answer));
}
await browser.close();
