// The sheet at the side: a document around its matched chunk, or one run of the log.
import { $, h, show, moment, bytes, problemBox } from "./dom.js";
import { get, wordsOf } from "./api.js";

const sheet = $("sheet");
$("sheet-close").addEventListener("click", () => sheet.close());
sheet.addEventListener("click", (e) => { if (e.target === sheet) sheet.close(); }); // beside it

// openSheet shows a title and what load returns; the focus goes back when it is closed.
export async function openSheet(title, load) {
  $("sheet-h").textContent = title;
  const body = $("sheet-body");
  show(body, h("p", { class: "quiet" }, "Loading…"));
  if (!sheet.open) sheet.showModal();
  body.focus();
  try {
    show(body, await load());
    const mark = body.querySelector("mark.match");
    if (mark) mark.scrollIntoView({ block: "center" });
    else body.scrollTop = 0;
  } catch (e) {
    show(body, problemBox(wordsOf(e)), h("button", { type: "button", on: { click: () => openSheet(title, load) } }, "Try again"));
  }
}

export function openDocument(collection, hit) {
  return openSheet(hit.title || hit.document_id, async () => {
    const d = await get("document", { collection, id: hit.document_id, chunk: hit.id });
    const facts = [["Document", d.id], ["Source", d.source], ["Address", link(d.uri)], ["Chunks", String(d.chunks)], ["Indexed", moment(d.created)], ["Changed", moment(d.updated)],
      ...Object.entries(d.metadata ?? {}).map(([k, v]) => [k, typeof v === "string" ? v : JSON.stringify(v)])];
    return [
      h("dl", { class: "facts" }, facts.filter(([, v]) => v).map(([k, v]) => h("div", null, h("dt", null, k), h("dd", null, v)))),
      d.gone ? h("p", { class: "note" }, "The matched chunk is no longer in this document: it was indexed again since.") : null,
      cut(d.cut_before),
      h("div", { class: "text" }, d.before, d.match ? h("mark", { class: "match" }, d.match) : null, d.after),
      cut(d.cut_after),
    ];
  });
}

const cut = (n) => (n ? h("p", { class: "note" }, `${bytes(n)} of the text are left out here.`) : null);

export function link(uri) {
  return /^https?:\/\//.test(uri ?? "") ? h("a", { href: uri, rel: "noreferrer noopener", target: "_blank" }, uri) : uri;
}

