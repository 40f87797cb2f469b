// Collections and the health of their indexes.
import { $, h, show, count, bytes, fixed, plural, table, problemBox } from "./dom.js";
import { get, wordsOf } from "./api.js";

export function meet() {}
export const enter = () => load();
export const again = () => load();
$("health-refresh").addEventListener("click", () => load());

async function load() {
  $("health-status").textContent = "Looking…";
  try {
    const { collections, database } = await get("collections");
    show($("health-error"));
    const ill = collections.filter((c) => findings(c).some((f) => f.bad));
    $("health-status").textContent = collections.length ? `${plural(collections.length, "collection")}, ${ill.length ? `${ill.length} to look after` : "all in order"}.` : "There are no collections yet. Make one: bmcis index PATH --collection NAME";
    show($("health-out"), collections.length ? overview(collections) : null,
      database ? h("p", { class: "quiet" }, `PostgreSQL ${database.postgres}, pgvector ${database.pgvector}, ${bytes(database.bytes)} in the database.`) : null);
  } catch (e) {
    $("health-status").textContent = "";
    show($("health-error"), problemBox(wordsOf(e)));
  }
}

// findings are sentences about a collection; bad ones have a remedy.
function findings(c) {
  const out = [];
  const other = c.stale_embeddings - c.without_vector;
  if (!c.chunks) out.push({ text: "Empty." });
  else if (c.without_vector === c.chunks) out.push({ bad: true, text: "No vectors: only keywords find something. Index again with the model." });
  else if (c.without_vector) out.push({ bad: true, text: `${plural(c.without_vector, "chunk")} without a vector: index again.` });
  if (other > 0) out.push({ bad: true, text: `${plural(other, "vector")} of another model: index again.` });
  const held = c.index.segments.chunks + c.index.tail.chunks;
  if (c.chunks && held < c.chunks) out.push({ bad: true, text: `${plural(c.chunks - held, "chunk")} not in the keyword index: bmcis db verify --repair.` });
  if (c.index.tombstones > 0.2 * c.chunks && c.index.tombstones > 100) out.push({ text: "Many deletions wait for a merge." });
  return out.length ? out : [{ text: "In order." }];
}

// extent is a number of segments and what is in them.
const extent = (e) => (e.count ? [count(e.count), h("span", { class: "quiet sub" }, `${plural(e.chunks, "chunk")}, ${bytes(e.bytes)}`)] : "–");

function overview(collections) {
  const num = (v) => h("td", { class: "num" }, v);
  return table("Collections and their indexes",
    ["Collection", { text: "Documents", num: true }, { text: "Chunks", num: true }, { text: "Vectors missing", num: true }, { text: "Segments", num: true }, { text: "Tail", num: true }, { text: "Tombstones", num: true }, "State"],
    collections.map((c) => h("tr", null,
      h("th", { scope: "row" }, c.name, h("span", { class: "quiet sub" }, `${c.language}, k1 ${fixed(c.k1, 2)}, b ${fixed(c.b, 2)}, generation ${count(c.generation)}`)),
      num(count(c.documents)), num(count(c.chunks)), num(count(c.without_vector)),
      num(extent(c.index.segments)), num(extent(c.index.tail)), num(count(c.index.tombstones)),
      h("td", null, findings(c).map((f) => h("span", { class: f.bad ? "tag bad" : "tag ok" }, f.text))))), { class: "health" });
}
