// The search playground: every stage's score of every hit, beside the knobs that move it.
import { $, h, show, fixed, count, plural, duration, bar, table, problemBox } from "./dom.js";
import { get, post, wordsOf } from "./api.js";
import { openDocument } from "./view.js";

const form = $("search-form");
const picked = (name) => form.elements[name].value;

let collectionsOf = null; // for whom the list was read
let asked = null; // the request that is on the page, without its cursor
let pages = []; // cursors of the pages before
let running = null;

export function meet(me) {
  const select = $("collection");
  if (!select.options.length) select.append(new Option(me.collection, me.collection));
}

export async function enter(me) {
  if (!me.may.search) {
    show($("search-error"), problemBox(`The identity ${me.identity} may not search directly. An administrator may allow it: bmcis tokens set ${me.identity} --allow-tools …`));
  }
  if (!me.may.collections || collectionsOf === me.identity) return;
  try {
    const { collections } = await get("collections");
    const select = $("collection"), before = select.value || me.collection;
    const names = collections.map((c) => c.name);
    if (!names.includes(before)) names.unshift(before);
    select.replaceChildren(...names.map((n) => {
      const c = collections.find((x) => x.name === n);
      return new Option(c ? `${n} (${plural(c.documents, "document")})` : `${n} (not there yet)`, n);
    }));
    select.value = before;
    if (!collections.some((c) => c.name === before) && collections.length) select.value = collections[0].name;
    collectionsOf = me.identity;
  } catch { /* the default stands; the failure is on the page */ }
  $("q").focus({ preventScroll: true });
}

export const again = () => { if (asked) ask(pages.at(-1) ?? ""); };

function request() {
  const q = {
    query: $("q").value, collection: $("collection").value, mode: picked("mode"), rerank: picked("rerank"),
    filter: $("filter").value.trim(), limit: Number($("limit").value), fusion: $("fusion").value, group_by: $("group").value.trim(),
  };
  if ($("own-weights").checked) q.weights = { lexical: Number($("w-lex").value), vector: Number($("w-vec").value) };
  if ($("boost").value.trim()) q.boosts = [{ when: $("boost").value.trim(), factor: Number($("factor").value) }];
  return q;
}

// ask shows one page of the answer; cursor "" is the first.
async function ask(cursor) {
  running?.abort();
  const mine = (running = new AbortController());
  $("search-status").textContent = "Searching…";
  form.setAttribute("aria-busy", "true");
  try {
    const r = await post("search", { ...asked, cursor }, mine.signal);
    show($("search-error"));
    render(r, cursor);
  } catch (e) {
    if (e.name === "AbortError") return;
    $("search-status").textContent = "";
    show($("search-error"), problemBox(wordsOf(e)));
  } finally {
    if (running === mine) form.removeAttribute("aria-busy");
  }
}

function start() {
  const q = request();
  if (!q.query.trim()) {
    show($("search-error"), problemBox("The query is empty: write at least one word."));
    $("q").focus();
    return;
  }
  if (!Number.isInteger(q.limit) || q.limit < 1 || q.limit > 100) {
    show($("search-error"), problemBox("Hits a page must be a whole number from 1 to 100."));
    $("limit").focus();
    return;
  }
  asked = q;
  pages = [""];
  ask("");
}

let soon = 0;
form.addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(soon); start(); });

// A knob that was moved shows at once what it does. Enter in a field is a change and a
// submit, and one search.
form.addEventListener("change", (e) => {
  if (e.target.id === "q" || !asked || !$("q").value.trim()) return;
  if (e.target.id === "factor" && !$("boost").value.trim()) return;
  clearTimeout(soon);
  soon = setTimeout(start);
});

for (const [id, mark] of [["w-lex", ""], ["w-vec", ""], ["factor", "× "]]) {
  $(id).addEventListener("input", () => { $(`${id}-out`).textContent = mark + fixed(Number($(id).value)); });
}
$("own-weights").addEventListener("change", (e) => { $("w-lex").disabled = $("w-vec").disabled = !e.target.checked; });

function render(r, cursor) {
  const first = (pages.length - 1) * asked.limit;
  const about = r.total.relation === "eq" ? "" : "at least ";
  $("search-status").textContent = r.hits.length
    ? `${plural(r.hits.length, "hit")}${first ? ` from ${first + 1} on` : ""} of ${about}${count(r.total.value)} ${r.total.value === 1 ? "match" : "matches"}, in ${duration(r.stats.ms.total)}.`
    : first ? "There are no more hits." : "Nothing matches. Try fewer or other words, or loosen the filter.";
  show($("plan"), planBox(r), ...(r.degraded ?? []).map((d) => h("p", { class: "note warn" }, h("b", null, `Degraded, ${d.stage}: `), d.reason)));
  show($("hits"), r.hits.map((hit, i) => hitBox(hit, first + i + 1, r)));
  const go = (text, f) => h("button", { type: "button", on: { click: async () => { await f(); $("search-status").scrollIntoView({ block: "nearest" }); $("hits").querySelector("button")?.focus({ preventScroll: true }); } } }, text);
  show($("pager"),
    pages.length > 1 ? go("Previous page", () => { pages.pop(); return ask(pages.at(-1)); }) : null,
    r.cursor ? go("Next page", () => { pages.push(r.cursor); return ask(r.cursor); }) : null);
}

const legNames = { hybrid: "keywords and meaning", lexical: "keywords alone", vector: "meaning alone", auto: "the router's choice" };

function planBox({ plan, stats }) {
  const times = [["plan", "Plan"], ["embed", "Embed"], ["lexical", "Keywords"], ["vector", "Meaning"], ["fuse", "Fuse"], ["hydrate", "Read"], ["rerank", "Rerank"], ["load", "Load models"]]
    .filter(([k]) => stats.ms[k] > 0);
  const sum = times.reduce((n, [k]) => n + stats.ms[k], 0) || 1;
  return h("section", { class: "plan", "aria-label": "Plan of this search" },
    h("p", { class: "plan-line" },
      h("span", null, "Query: ", h("b", null, plan.class)), h("span", null, "Legs: ", h("b", null, legNames[plan.mode] ?? plan.mode)),
      plan.mode === "hybrid" ? h("span", null, "Weights: ", h("b", { class: "c-lexical" }, fixed(plan.weights.lexical)), " + ", h("b", { class: "c-vector" }, fixed(plan.weights.vector))) : null,
      h("span", null, "Fusion: ", h("b", null, plan.fusion.replace("_", " "))), h("span", null, "Reranked: ", h("b", null, plan.rerank ? count(stats.reranked) : "no"))),
    h("details", { open: true }, h("summary", null, "Why"), h("ul", null, plan.reasons.map((reason) => h("li", null, reason)))),
    h("details", null, h("summary", null, "What was done, and when"),
      h("p", null, `${count(stats.lexical_candidates)} candidates by keywords, ${count(stats.vector_candidates)} by meaning${stats.vector_exact ? " (every chunk compared)" : ""}, ${count(stats.candidates)} together, ${count(stats.completed)} missing scores computed, ${count(stats.reranked)} reranked${stats.dropped ? `, ${count(stats.dropped)} deleted meanwhile` : ""}.`),
      table("Time of each stage", ["Stage", { text: "Time", num: true }, "Share"],
        times.map(([k, name]) => h("tr", null, h("th", { scope: "row" }, name), h("td", { class: "num" }, duration(stats.ms[k])), h("td", null, bar([`t-${k}`, stats.ms[k] / sum])))), { class: "times" }),
      h("p", { class: "hint" }, "The legs run side by side, so the stages add up to more than the whole.")));
}

function hitBox(hit, n, r) {
  const s = hit.explain.stages;
  const cell = (name, value, bars, under) => h("div", null, h("dt", null, name), h("dd", { class: "value" }, value), h("dd", { class: "drawn" }, bars), h("dd", { class: "under" }, under ?? "\u00a0"));
  const leg = (part, raw, unit, rank) => (part.known ? `${unit} ${fixed(raw, unit === "BM25" ? 1 : 2)}${rank ? `, #${rank}` : ""}` : "no score");
  const factor = s.fused > 0 ? s.boosted / s.fused : 1;
  return h("li", { class: "hit" },
    h("div", { class: "hit-head" }, h("span", { class: "n", "aria-hidden": "true" }, n),
      h("h2", null, h("button", { type: "button", class: "title", on: { click: () => openDocument(asked.collection, hit) } }, hit.title || hit.document_id)),
      hit.source ? h("span", { class: "src" }, hit.source) : null),
    hit.headings?.length ? h("p", { class: "path" }, hit.headings.join(" › ")) : null,
    h("p", { class: "snippet" }, snippet(hit.text, termsOf(hit))),
    h("dl", { class: "stages", "aria-label": `Scores of hit ${n}` },
      cell("Keywords", s.lexical.known ? fixed(s.lexical.normalized) : "–", bar(["lexical", s.lexical.normalized]), leg(s.lexical, hit.lexical_score, "BM25", hit.lexical_rank)),
      cell("Meaning", s.vector.known ? fixed(s.vector.normalized) : "–", bar(["vector", s.vector.normalized]), leg(s.vector, hit.vector_score, "cosine", hit.vector_rank)),
      cell("Fused", fixed(s.fused), bar(["lexical", s.lexical.share], ["vector", s.vector.share]), `${fixed(s.lexical.share)} + ${fixed(s.vector.share)}`),
      cell("Boosts", factor === 1 ? "none" : `× ${fixed(factor)}`, bar(["boost", factor === 1 ? 0 : s.boosted]), factor === 1 ? null : `to ${fixed(s.boosted)}`),
      cell("Reranker", s.rerank === undefined ? "–" : fixed(s.rerank), bar(["rerank", s.rerank ?? 0]), s.rerank === undefined ? "not read" : "relevance"),
      cell("Score", fixed(s.final), bar(["final", s.final]), rankMoved(hit, n))),
    h("details", null, h("summary", null, "Why this score"), why(hit)));
}

// rankMoved tells how a hit of both legs moved.
function rankMoved(hit, n) {
  const best = Math.min(hit.lexical_rank || Infinity, hit.vector_rank || Infinity);
  if (best === Infinity) return null;
  return best > n ? `up from #${best}` : best < n ? `down from #${best}` : `stays #${n}`;
}

function why({ explain }) {
  const terms = termsOf({ explain }), lex = terms.length ? explain.lexical : null;
  return [
    h("ul", null, explain.fusion.map((line) => h("li", null, line))),
    lex ? table(`BM25 ${fixed(lex.score, 4)} term by term`, ["Term", { text: "In chunks", num: true }, { text: "idf", num: true }, { text: "Score", num: true }, "Part"],
      terms.map((t) => h("tr", null, h("th", { scope: "row" }, h("code", null, t.term)), h("td", { class: "num" }, count(t.document_frequency)), h("td", { class: "num" }, fixed(t.idf, 3)), h("td", { class: "num" }, fixed(t.score, 3)),
        h("td", null, bar(["lexical", lex.score ? t.score / lex.score : 0]))))) : h("p", null, "No word of the query is in this chunk."),
    lex ? h("p", { class: "hint" }, h("code", null, lex.formula)) : null,
  ];
}

// termsOf are the words of the query that the chunk holds.
const termsOf = ({ explain }) => explain.lexical?.terms ?? [];

const shownChars = 320;

// snippet is the text around the first word that matches, with such words marked.
function snippet(text, terms) {
  text = text.replace(/\s+/g, " ").trim();
  const stems = terms.filter((t) => t.score > 0 && /^[\p{L}\p{N}]{2,}$/u.test(t.term)).map((t) => t.term);
  const pattern = stems.length ? new RegExp(`(?<![\\p{L}\\p{N}])(${stems.join("|")})[\\p{L}\\p{N}]{0,3}(?![\\p{L}\\p{N}])`, "giu") : null;
  let from = pattern ? Math.max(0, text.search(pattern) - 80) : 0;
  if (from > 0) from = text.indexOf(" ", from) + 1;
  let part = text.slice(from, from + shownChars);
  if (from + shownChars < text.length) part = part.slice(0, part.lastIndexOf(" ") || part.length);
  const out = [from > 0 ? "… " : ""];
  let at = 0;
  for (const m of pattern ? part.matchAll(pattern) : []) {
    out.push(part.slice(at, m.index), h("b", { class: "word" }, m[0]));
    at = m.index + m[0].length;
  }
  out.push(part.slice(at), from + part.length < text.length ? " …" : "");
  return out;
}
