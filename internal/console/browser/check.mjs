// Drives the console in Chromium, by keyboard alone, and looks at what a person would meet.
// Called by TestInChromium, which starts the servers and stops and starts them on request:
// a line "stop" or "start" on standard output is answered with one on standard input.
//
//   node check.mjs MODULES CHROMIUM URL LOCKED_URL TOKEN
import { createInterface } from "node:readline";
import { readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [modules, executablePath, url, lockedURL, secret] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${modules}/node_modules/playwright-core/index.mjs`).href);
const axeSource = await readFile(`${modules}/node_modules/axe-core/axe.min.js`, "utf8");

const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
async function server(order) {
  console.log(order);
  await answers.next();
}
const say = (text) => console.log(`# ${text}`);

const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
const patience = 60_000;
const opened = [];

// open is a page that fails on every error in its console. allow lets those through that
// Chromium itself writes when an answer is not 2xx or nobody answers.
async function open(options, address) {
  const context = await browser.newContext({ viewport: { width: 1240, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const state = { errors: [], allow: null };
  opened.push({ page, state });
  const note = (text) => { if (!state.allow?.test(text)) state.errors.push(text); };
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warning") note(m.text()); });
  page.on("pageerror", (e) => note(`exception: ${e.stack ?? e.message}`));
  await page.goto(address);
  return { page, state, async close() { assert.deepEqual(state.errors, [], "errors in the browser's console"); await context.close(); } };
}

const network = /^Failed to load resource: /;
const ready = (page) => page.waitForFunction(() => document.querySelector("#who").textContent !== "");

// tabTo goes on by Tab until an element has the focus, and sees that the focus is visible
// at each stop.
async function tabTo(page, selector, key = "Tab") {
  for (let i = 0; i < 90; i++) {
    await page.keyboard.press(key);
    const seen = await page.evaluate((s) => {
      const el = document.activeElement;
      const shows = (x) => { const c = x && getComputedStyle(x); return Boolean(c) && c.outlineStyle !== "none" && parseFloat(c.outlineWidth) >= 2; };
      const visible = el === document.body || shows(el) || shows(el.nextElementSibling) && el.matches(".seg input") || shows(el.closest(".editor"));
      return { there: el.matches(s), visible, name: `${el.tagName} ${el.id} ${el.className}` };
    }, selector);
    assert.ok(seen.visible, `the focus cannot be seen on ${seen.name}`);
    if (seen.there) return;
  }
  assert.fail(`Tab does not reach ${selector}`);
}

async function axe(page, what) {
  await page.evaluate(axeSource);
  const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const bad = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  const told = (list) => list.map((v) => `${v.id} (${v.impact}): ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`);
  assert.deepEqual(told(bad), [], `axe on ${what}`);
  say(`axe: ${what}: ${passes.length} rules hold, no serious violation, ${violations.length} lesser${violations.length ? `: ${told(violations).join("; ")}` : ""}`);
}

const type = async (page, text) => page.keyboard.type(text);
const status = (page, id, pattern) => page.waitForFunction(([i, p]) => new RegExp(p).test(document.getElementById(i).textContent), [id, pattern]);
const panes = { search: "search-status", code: "code-status", savings: "savings-status", audit: "audit-status", health: "health-status" };

async function toPane(page, name) {
  await page.evaluate(() => { document.activeElement.blur(); window.getSelection().removeAllRanges(); });
  await page.keyboard.press("Home");
  await tabTo(page, `nav a[data-pane=${name}]`, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction((n) => !document.getElementById(`pane-${n}`).hidden, name);
  assert.equal(await page.evaluate(() => document.activeElement.id), "main", "the focus goes to the pane that is opened");
}

async function figures() {
  const paints = [];
  for (let i = 0; i < 5; i++) {
    const { page, close } = await open({}, url);
    await ready(page);
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await close();
  }
  paints.sort((a, b) => a - b);
  say(`first contentful paint of 5 cold visits: best ${paints[0].toFixed(0)} ms, median ${paints[2].toFixed(0)} ms, worst ${paints[4].toFixed(0)} ms; ${cpus().length} cores, load average ${loadavg()[0].toFixed(1)}`);
  const { page, close } = await open({}, "about:blank");
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0, requests = 0;
  session.on("Network.loadingFinished", (e) => { bytes += e.encodedDataLength; requests++; });
  await page.goto(url);
  await ready(page);
  for (const name of Object.keys(panes)) { await page.evaluate((n) => { location.hash = `#/${n}`; }, name); await page.waitForLoadState("networkidle"); }
  say(`transfer of the page and all panes opened once: ${bytes} bytes in ${requests} answers, headers included`);
  assert.ok(bytes <= 300_000, `${bytes} bytes were transferred, at most 300000 may be`);
  await close();
}

async function search(page, state) {
  await tabTo(page, "#skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await tabTo(page, "#q");
  await type(page, "leader votes majority");
  await page.keyboard.press("Enter");
  await status(page, "search-status", "hits? of");
  const first = await page.locator(".hit").first();
  assert.match(await first.locator("h2").innerText(), /Raft/);
  assert.equal(await first.locator(".stages dt").count(), 6);
  assert.ok(await page.locator(".plan li").count() > 0, "the plan has its reasons");
  const width = await first.locator(".fill.final").evaluate((e) => e.getBoundingClientRect().width / e.parentElement.getBoundingClientRect().width);
  const score = Number(await first.locator(".stages .value").last().innerText());
  assert.ok(Math.abs(width - score) < 0.02, `the bar is ${width}, the score ${score}`);
  // Radio buttons and sliders by arrow keys: each change asks again.
  await tabTo(page, "input[name=mode]:checked");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector("input[name=mode]:checked").value === "hybrid" && !document.querySelector("#search-form").hasAttribute("aria-busy"));
  await tabTo(page, "#own-weights");
  await page.keyboard.press("Space");
  await tabTo(page, "#w-lex");
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator("#w-lex-out").innerText(), "0.60");
  await page.waitForFunction(() => /Weights: 0\.50 \+ 0\.50/.test(document.querySelector("#plan").textContent));
  await tabTo(page, "#filter");
  await type(page, "year >");
  state.allow = network; // the browser notes the 400
  await page.keyboard.press("Enter");
  await page.waitForSelector("#search-error .error");
  assert.match(await page.locator("#search-error").innerText(), /filter, character/);
  await page.keyboard.press("Control+A");
  await type(page, 'domain = "consensus" and year >= 2000');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !document.querySelector("#search-error .error") && document.querySelectorAll(".hit").length === 1);
  state.allow = null;
  // The document at the side: opened, read and closed by keys; the focus comes back.
  await tabTo(page, ".hit button.title");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#sheet[open] mark.match");
  assert.match(await page.locator("mark.match").innerText(), /votes of a majority/);
  await axe(page, "document");
  await page.keyboard.press("Escape");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".hit button.title")), "the focus comes back");
  await tabTo(page, ".hit summary");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".hit details[open] table");
  await tabTo(page, "#filter", "Shift+Tab");
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  // Boosts, and pages.
  await tabTo(page, "#limit");
  await page.keyboard.press("Control+A");
  await type(page, "2");
  await tabTo(page, "details.more summary");
  await page.keyboard.press("Enter");
  await tabTo(page, "#boost");
  await type(page, 'domain = "database"');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /× 1\.50/.test(document.querySelector("#hits").textContent) || document.querySelectorAll(".hit").length === 2);
  const before = await page.locator("#hits").innerText();
  await tabTo(page, "#pager button");
  await page.keyboard.press("Enter");
  await status(page, "search-status", "from 3 on");
  assert.notEqual(await page.locator("#hits").innerText(), before);
  assert.ok(await page.evaluate(() => document.activeElement.matches(".hit button.title")), "the focus goes to the page's first hit");
  // What documents hold is text.
  await tabTo(page, "#q", "Shift+Tab");
  await page.keyboard.press("Control+A");
  await type(page, "vacuum dead tuples");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /<b>Vacuum/.test(document.querySelector("#hits").textContent));
  assert.equal(await page.locator("#hits h2 b").count(), 0);
}

async function code(page) {
  await toPane(page, "code");
  await tabTo(page, "#code");
  await page.keyboard.press("Control+A");
  await type(page, "import time\nfor i in range(3):");
  await page.keyboard.press("Enter"); // keeps the place, one step in after a colon
  await type(page, "print('line', i)");
  await page.keyboard.press("Enter");
  await type(page, "time.sleep(0.1)");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Tab");
  await type(page, "hits = search.hybrid_search('votes', top_k=3)\n{'found': len(hits), 'big': 12345678901234567890}");
  assert.match(await page.inputValue("#code"), /range\(3\):\n {4}print\('line', i\)\n {4}time\.sleep\(0\.1\)\nhits/);
  assert.match(await page.locator("#gutter").innerText(), /1\n2\n3\n4\n5\n6/);
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => /line 0/.test(document.querySelector("#run-out .box[aria-label=Output]")?.textContent));
  await status(page, "code-status", "^Done in");
  assert.match(await page.locator("#run-out").innerText(), /"found": 3[^]*12345678901234567890[^]*line 2[^]*search\.hybrid/);
  assert.match(await page.locator(".ledger").innerText(), /Touched inside[^]*Returned/);
  assert.equal(await page.locator("table.calls tbody tr").count(), 1);
  await axe(page, "a run");
  // Tab does not trap.
  await tabTo(page, "#code", "Shift+Tab");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "run", "Tab goes past an editor in which nothing was written");
  await page.keyboard.press("Shift+Tab");
  await type(page, " ");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "code", "Tab indents what is written");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "run", "Escape, then Tab, leaves the editor");
  // An error is said with its line, which is marked.
  await tabTo(page, "#code", "Shift+Tab");
  await page.keyboard.press("Control+A");
  await type(page, "x = 1\nraise ValueError('no luck')");
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("#run-out .error");
  assert.match(await page.locator("#run-out .error").innerText(), /runtime line 2.*no luck/s);
  assert.equal((await page.locator("#gutter b").innerText()).trim(), "2");
  // Validate, then cancel what does not end.
  await page.keyboard.press("Control+A");
  await type(page, "hits = serch.hybrid_search('x')");
  await page.keyboard.press("Escape");
  await tabTo(page, "#validate");
  await page.keyboard.press("Enter");
  await status(page, "code-status", "would not run");
  await tabTo(page, "#code", "Shift+Tab");
  await page.keyboard.press("Control+A");
  await type(page, "while True:");
  await page.keyboard.press("Enter");
  await type(page, "pass");
  await page.keyboard.press("Escape");
  await tabTo(page, "#run");
  await page.keyboard.press("Enter");
  await status(page, "code-status", "^Running");
  assert.equal(await page.evaluate(() => document.activeElement.id), "cancel", "the focus goes to Cancel");
  await page.keyboard.press("Enter");
  await status(page, "code-status", "^Cancelled");
  assert.equal(await page.evaluate(() => document.activeElement.id), "run");
}

async function figuresOfRuns(page) {
  await toPane(page, "savings");
  await status(page, "savings-status", "programs? in");
  await tabTo(page, "input[name=range]:checked");
  await page.keyboard.press("ArrowLeft");
  await status(page, "savings-status", "the last 7 days");
  assert.match(await page.locator("#savings-out svg").getAttribute("aria-label"), /tokens touched/);
  await tabTo(page, "#savings-out summary");
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("#savings-out tbody tr").count() > 0);

  await toPane(page, "audit");
  await status(page, "audit-status", "entr");
  const all = await page.locator("#audit-out tbody tr").count();
  await tabTo(page, "#a-outcome");
  await type(page, "runtime");
  await tabTo(page, "#pane-audit button.primary");
  await page.keyboard.press("Enter");
  await page.waitForFunction((n) => { const rows = document.querySelectorAll("#audit-out tbody tr").length; return rows > 0 && rows < n; }, all);
  assert.match(await page.locator("#audit-out").innerText(), /no luck/);
  await tabTo(page, "#audit-out button.title");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#sheet[open] .box");
  assert.match(await page.locator("#sheet-body").innerText(), /raise ValueError/);
  await axe(page, "an entry of the log");
  await page.keyboard.press("Escape");

  await toPane(page, "health");
  await status(page, "health-status", "2 collections, all in order");
  await tabTo(page, "#health-refresh");
  await page.keyboard.press("Enter");
  await status(page, "health-status", "2 collections");
  assert.match(await page.locator("#health-out").innerText(), /notes[^]*PostgreSQL/);
}

async function lostServer(page, state) {
  state.allow = network;
  await toPane(page, "search");
  const hits = await page.locator(".hit").count();
  await server("stop");
  await tabTo(page, "#q");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#lost button");
  assert.match(await page.locator("#lost").innerText(), /The server does not answer/);
  assert.equal(await page.locator(".hit").count(), hits, "what is on the page stays");
  await axe(page, "lost server");
  await tabTo(page, "#lost button", "Shift+Tab");
  await page.keyboard.press("Enter"); // still away
  await page.waitForFunction(() => document.querySelector("#lost button")?.disabled === false && document.activeElement === document.querySelector("#lost button"));
  await server("start");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !document.querySelector("#lost").hasChildNodes());
  await status(page, "search-status", "hits? of");
  assert.equal(await page.locator("#search-error .error").count(), 0);
  // In the middle of a program.
  await toPane(page, "code");
  await tabTo(page, "#code");
  await page.keyboard.press("Control+A");
  await type(page, "print('here')\nwhile True:");
  await page.keyboard.press("Enter");
  await type(page, "pass");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => /here/.test(document.querySelector("#run-out .box[aria-label=Output]")?.textContent));
  await server("stop");
  await page.waitForSelector("#code-error .error");
  assert.match(await page.locator("#code-error").innerText(), /connection was lost/);
  assert.match(await page.locator("#run-out").innerText(), /here/);
  await server("start");
  await page.evaluate(() => { location.hash = "#/health"; });
  await status(page, "health-status", "2 collections");
  await page.waitForFunction(() => !document.querySelector("#lost").hasChildNodes());
  state.allow = null;
}

async function signIn() {
  const { page, state, close } = await open({}, "about:blank");
  state.allow = network; // the browser notes each 401
  await page.goto(lockedURL);
  await page.waitForSelector("#sign-in:not([hidden])");
  assert.equal(await page.evaluate(() => document.activeElement.id), "token");
  assert.equal(await page.locator(".pane:visible").count(), 1, "without a token nothing else is shown");
  await axe(page, "sign in");
  await type(page, "bmcis_wrong");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /token/.test(document.querySelector("#sign-in-error").textContent));
  await type(page, secret);
  await page.keyboard.press("Enter");
  await ready(page);
  state.allow = null;
  await status(page, "who", "^reader$");
  await page.fill("#q", "votes");
  await page.keyboard.press("Enter");
  await status(page, "search-status", "hits? of");
  assert.deepEqual(await page.evaluate(() => [sessionStorage.getItem("bmcis-token"), JSON.stringify(localStorage), document.cookie, location.href.includes("bmcis_")]),
    [secret, "{}", "", false], "the token is in the tab's storage and nowhere else");
  // Another tab knows nothing of it; this one keeps it over a reload.
  await page.reload();
  await status(page, "who", "^reader$");
  assert.ok(await page.locator(".admin:visible").count() === 0);
  state.allow = network;
  await page.click("#sign-out");
  await page.waitForSelector("#sign-in:not([hidden])");
  assert.equal(await page.evaluate(() => sessionStorage.getItem("bmcis-token")), null);
  await close();
}

async function looks() {
  const { page, close } = await open({ colorScheme: "light", reducedMotion: "reduce" }, url);
  await ready(page);
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await page.selectOption("#theme", "dark");
  const dark = await paper();
  assert.notEqual(light, dark);
  await page.reload();
  await ready(page);
  assert.equal(await paper(), dark, "the choice is kept");
  await page.selectOption("#theme", "system");
  assert.equal(await paper(), light);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await paper(), dark, "without a choice the system's is followed");
  assert.equal(await page.evaluate(() => { const s = document.getElementById("sheet"); s.showModal(); const name = getComputedStyle(s).animationName; s.close(); return name; }), "none", "no motion where none is wanted");
  for (const width of [390, 820]) {
    await page.setViewportSize({ width, height: 800 });
    for (const name of Object.keys(panes)) {
      await page.evaluate((n) => { location.hash = `#/${n}`; }, name);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(over <= 0, `${name} is ${over} pixels too wide for ${width}`);
    }
  }
  await close();
}

// step tells, when it fails, what the open pages show and noted.
async function step(name, f) {
  try {
    await f();
  } catch (e) {
    for (const [i, { page, state }] of opened.entries()) {
      if (page.isClosed()) continue;
      console.log(`# page ${i + 1}: errors ${JSON.stringify(state.errors)}, focus ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120))}`);
      console.log(`# it shows: ${(await page.locator("body").innerText()).replace(/\s+/g, " ").slice(0, 1500)}`);
    }
    throw new Error(`${name}: ${e.message}`, { cause: e });
  }
  console.log(`ok ${name}`);
}

try {
  await step("first paint and transfer", figures);
  const { page, state, close } = await open({ colorScheme: "light" }, url);
  await ready(page);
  await step("search by keyboard", () => search(page, state));
  await step("code by keyboard", () => code(page));
  await step("savings, audit and collections by keyboard", () => figuresOfRuns(page));
  await step("axe in light and dark", async () => {
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const [name, id] of Object.entries(panes)) {
        await page.evaluate((n) => { location.hash = `#/${n}`; }, name);
        await page.waitForFunction((i) => !/…$/.test(document.getElementById(i).textContent), id);
        await axe(page, `${name}, ${scheme}`);
      }
    }
  });
  await step("a lost server is survived", () => lostServer(page, state));
  await close();
  await step("sign in", signIn);
  await step("theme, motion, narrow windows", looks);
} finally {
  await browser.close();
}
process.exit(0);
