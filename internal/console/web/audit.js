// The audit log with its filters, and one run with its program and calls.
import { $, h, show, count, duration, moment, plural, table, problemBox } from "./dom.js";
import { get, wordsOf } from "./api.js";
import { openSheet } from "./view.js";
import { timeline } from "./calls.js";

const form = $("audit-form");
let runs = [], chosen = {};

export function meet() {}
export const enter = () => first();
export const again = () => first();

form.addEventListener("submit", (e) => { e.preventDefault(); first(); });
form.addEventListener("reset", () => setTimeout(first));

const instant = (id) => { const v = $(id).value; return v ? new Date(v).toISOString() : ""; };

function first() {
  const text = (id) => $(id).value.trim();
  chosen = { kind: $("a-kind").value, outcome: $("a-outcome").value, tool: text("a-tool"), method: text("a-method"), text: text("a-text"), identity: text("a-identity"), since: instant("a-since"), until: instant("a-until") };
  runs = [];
  return more();
}

async function more() {
  $("audit-status").textContent = "Reading…";
  const known = runs.length;
  try {
    const page = await get("audit", { ...chosen, limit: 50, before: runs.at(-1)?.id });
    runs.push(...page.runs);
    show($("audit-error"));
    $("audit-status").textContent = runs.length ? `${plural(runs.length, "entry").replace("entrys", "entries")}${page.more ? ", and older ones." : "."}` : "No entry fits these filters.";
    render(page.more);
    if (known) $("audit-out").querySelectorAll("tbody button")[known]?.focus();
  } catch (e) {
    $("audit-status").textContent = "";
    show($("audit-error"), problemBox(wordsOf(e)));
  }
}

function render(older) {
  if (!runs.length) { show($("audit-out")); return; }
  show($("audit-out"),
    table("Entries of the audit log, the newest first", [{ text: "No.", num: true }, "Started", "Identity", "What", "Outcome", { text: "Took", num: true }, { text: "Tokens", num: true }], runs.map(row), { class: "log" }),
    older ? h("div", { class: "pager" }, h("button", { type: "button", on: { click: more } }, "Older entries")) : null);
}

const outcome = (r) => h("span", { class: r.outcome === "ok" ? "tag ok" : "tag bad" }, r.outcome);

function row(r) {
  const l = r.ledger;
  return h("tr", null,
    h("td", { class: "num" }, h("button", { type: "button", class: "title", "aria-label": `Show entry ${r.id}`, on: { click: () => openRun(r) } }, r.id)),
    h("td", { class: "when" }, moment(r.started)),
    h("td", null, r.identity),
    h("th", { scope: "row" }, h("code", null, r.tool || r.kind), r.description ? h("span", { class: "quiet" }, ` ${r.description}`) : null, r.error ? h("span", { class: "why" }, r.error) : null),
    h("td", null, outcome(r)),
    h("td", { class: "num" }, duration(r.ms)),
    h("td", { class: "num" }, l ? `${count(l.tokens_touched ?? 0)} → ${count(l.tokens_returned ?? 0)}` : "–"));
}

function openRun(r) {
  return openSheet(`Entry ${r.id}: ${r.tool || r.kind}`, async () => {
    const d = await get(`audit/${r.id}`);
    const facts = [["Started", moment(d.started)], ["Took", duration(d.ms)], ["Identity", d.identity], ["Outcome", outcome(d)], ["By way of", [d.transport, d.session].filter(Boolean).join(", ")], ["Description", d.description],
      ["Tokens", d.ledger ? `${count(d.ledger.tokens_touched ?? 0)} touched, ${count(d.ledger.tokens_returned ?? 0)} returned` : ""], ["Digest", h("code", { class: "digest" }, d.digest)]];
    const calls = d.calls ?? [];
    return [
      h("dl", { class: "facts" }, facts.filter(([, v]) => v).map(([k, v]) => h("div", null, h("dt", null, k), h("dd", null, v)))),
      d.error ? h("p", { class: "error" }, d.error) : null,
      d.program ? [h("h3", null, d.kind === "program" ? "Program" : "Arguments"), h("pre", { class: "box", tabindex: "0", role: "region", "aria-label": "Text" }, d.program)] : null,
      calls.length ? [h("h3", null, "Host calls"), timeline(calls, d.ms)] : null,
      d.calls_omitted ? h("p", { class: "note" }, `${count(d.calls_omitted)} calls more were made and are not kept.`) : null,
      d.limits ? [h("h3", null, "Limits and usage"), h("pre", { class: "box", tabindex: "0", role: "region", "aria-label": "Limits and usage" }, JSON.stringify({ limits: d.limits, usage: d.usage }, null, 2))] : null,
    ];
  });
}
