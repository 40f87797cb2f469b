// Takes the pictures of docs/console.md from a running server whose default collection is
// this project's own documents (README.md and docs/).
//
//   node shots.mjs MODULES CHROMIUM URL FOLDER
import { pathToFileURL } from "node:url";

const [modules, executablePath, url, folder] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${modules}/node_modules/playwright-core/index.mjs`).href);
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });

async function shoot(scheme, names) {
  const page = await (await browser.newContext({ viewport: { width: 1240, height: 900 }, colorScheme: scheme, reducedMotion: "reduce" })).newPage();
  page.setDefaultTimeout(60_000);
  const picture = async (name) => {
    await page.evaluate(() => document.activeElement.blur());
    await page.mouse.move(1, 400);
    await page.screenshot({ path: `${folder}/${name}-${scheme}.png` });
  };
  const settled = (id) => page.waitForFunction((i) => { const t = document.getElementById(i).textContent; return t && !t.endsWith("…"); }, id);
  await page.goto(url);
  await page.waitForSelector("#who:not(:empty)");
  await page.waitForFunction(() => document.querySelector("#collection").options.length > 1);
  const turn = {
    async search() {
      await page.click("details.more summary");
      await page.fill("#boost", 'domain = "guide"');
      await page.fill("#q", "who may restore personal data?");
      await page.check("input[name=rerank][value=on]", { force: true });
      await page.press("#q", "Enter");
      await page.waitForSelector(".hit");
      await picture("search");
    },
    async document() {
      await page.locator(".hit button.title").first().click();
      await page.waitForSelector("mark.match");
      await picture("document");
      await page.keyboard.press("Escape");
    },
    async code() {
      await page.setViewportSize({ width: 1240, height: 1360 });
      await page.selectOption("#example", "several questions at once");
      await page.click("#run");
      await page.waitForSelector(".ledger");
      await page.evaluate(() => window.scrollTo(0, 0));
      await picture("code");
      await page.setViewportSize({ width: 1240, height: 900 });
    },
    async savings() {
      await page.check("input[name=range][value=hour]", { force: true });
      await page.waitForFunction(() => /last hour/.test(document.getElementById("savings-status").textContent));
      await page.setViewportSize({ width: 1240, height: 720 });
      await picture("savings");
    },
    audit: () => picture("audit"),
    async health() {
      await page.setViewportSize({ width: 1240, height: 420 });
      await picture("health");
    },
  };
  for (const name of names) {
    if (name !== "document") {
      await page.evaluate((n) => { location.hash = `#/${n}`; }, name);
      if (name in { savings: 1, audit: 1, health: 1 }) await settled(`${name}-status`);
    }
    await turn[name]();
  }
}

await shoot("light", ["search", "document", "savings", "health"]);
await shoot("dark", ["search", "code", "audit"]);
await browser.close();
