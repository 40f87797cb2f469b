// The code pane: an editor that keeps a keyboard's ways, a run as it happens, and what it
// cost.
import { $, h, show, count, plural, duration, bytes, bar, fewer, problemBox } from "./dom.js";
import { Problem, stream, wordsOf } from "./api.js";
import { timeline } from "./calls.js";

const code = $("code"), gutter = $("gutter"), status = $("code-status");

const examples = {
  "search and shorten": `question = "how are deleted documents handled"
hits = search.hybrid_search(question, top_k=20)
best = reranker.rerank(question, hits, top_k=3)
__result__ = results.format_for_agent(results.summarize(best, max_content_length=160))
`,
  "several questions at once": `import asyncio

questions = ["deadline of a query", "limits of a program", "merge of segments"]

async def ask(q):
    print("asking:", q)
    hits = await search.hybrid_search(q, top_k=5)
    return {"question": q, "best": hits[0].title if hits else None}

__result__ = await asyncio.gather(*[ask(q) for q in questions])
`,
  "only when the first answer is weak": `question = "what happens when the reranker runs out of time"
hits = search.hybrid_search(question, top_k=10)
if not hits or hits[0].score < 0.6:
    print("the first answer is weak, reranking more")
    hits = reranker.rerank(question, search.hybrid_search(question, top_k=50), top_k=5)
__result__ = results.pack(hits, max_tokens=400)
`,
};

$("example").append(...Object.keys(examples).map((name) => new Option(name, name)));
$("example").addEventListener("change", (e) => {
  if (!e.target.value) return;
  put(0, code.value.length, examples[e.target.value]);
  code.setSelectionRange(0, 0);
  e.target.value = "";
});

export function meet(me) {

  if (!code.value) { code.value = examples["search and shorten"]; lines(); }
}
export function enter(me) {
  show($("code-error"), me.may.code ? null : problemBox("Programs cannot be run here: this identity may not call execute_code, or the server was started with --tools direct."));
  lines();
}
export const again = () => { if (last) run(last.only); };

// put replaces a part of the text so that it can be undone.
function put(from, to, text) {
  code.focus();
  code.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, text)) code.setRangeText(text, from, to, "end");
  lines();
}

// lines writes the numbers beside the text; marked is a line with an error.
function lines(marked = 0) {
  const n = code.value.split("\n").length;
  show(gutter, Array.from({ length: n }, (_, i) => (i + 1 === marked ? h("b", null, `${i + 1}\n`) : `${i + 1}\n`)));
  gutter.scrollTop = code.scrollTop;
}
code.addEventListener("input", () => lines());
code.addEventListener("scroll", () => { gutter.scrollTop = code.scrollTop; });

// Tab goes on to the next control, as everywhere, until something is written or clicked
// in the editor; from then on it indents, until Escape is pressed or the focus leaves.
let writing = false;
code.addEventListener("blur", () => { writing = false; });
code.addEventListener("input", () => { writing = true; });
code.addEventListener("pointerdown", () => { writing = true; });
code.addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key === "Enter") { e.preventDefault(); run(false); return; }
  if (e.key === "Escape") { writing = false; return; }
  if (e.key === "Tab" && writing && !e.ctrlKey && !e.altKey && !e.metaKey) {
    e.preventDefault();
    indent(e.shiftKey);
  } else if (e.key === "Enter" && !e.isComposing) {
    const before = code.value.slice(0, code.selectionStart).split("\n").at(-1);
    const space = before.match(/^\s*/)[0] + (/:\s*$/.test(before) ? "    " : "");
    if (space) { e.preventDefault(); put(code.selectionStart, code.selectionEnd, `\n${space}`); }
  }
});

function indent(out) {
  const { selectionStart: a, selectionEnd: b, value } = code;
  const from = value.lastIndexOf("\n", a - 1) + 1;
  if (a === b && !out) { put(a, b, " ".repeat(4 - ((a - from) % 4))); return; }
  const block = value.slice(from, b);
  const moved = block.split("\n").map((l) => (out ? l.replace(/^ {1,4}/, "") : `    ${l}`)).join("\n");
  if (moved === block) return;
  put(from, b, moved);
  code.setSelectionRange(a === b ? Math.max(from, a + moved.length - block.length) : from, from + moved.length);
}

$("code-form").addEventListener("submit", (e) => { e.preventDefault(); run(false); });
$("validate").addEventListener("click", () => run(true));
$("cancel").addEventListener("click", () => running?.abort());

let running = null, last = null;

async function run(only) {
  if (running) return;
  const timeout = Number($("timeout").value);
  if (!(timeout > 0 && timeout <= 300)) { show($("code-error"), problemBox("The time limit must be 1 to 300 seconds.")); $("timeout").focus(); return; }
  if (!code.value.trim()) { show($("code-error"), problemBox("There is no program to run.")); code.focus(); return; }
  last = { only };
  const mine = (running = new AbortController());
  const begun = performance.now();
  const calls = [];
  let printed = "", end = null;
  const output = h("pre", { class: "box", tabindex: "0", role: "region", "aria-label": "Output" });
  const shownCalls = h("div");
  const answer = h("div", { class: "answer" });
  const side = h("div");
  show($("code-error"));
  show($("run-out"), h("div", null, answer, h("h2", null, "Output"), output, h("h2", null, "Host calls"), shownCalls), side);
  show(output, h("span", { class: "quiet" }, "nothing printed yet"));
  show(shownCalls, h("p", { class: "quiet" }, "none yet"));
  buttons(true);
  lines();
  const told = () => { status.textContent = `${only ? "Validating" : "Running"}… ${calls.length ? plural(calls.length, "host call") + " so far." : ""}`; };
  told();
  let drawing = 0;
  const draw = () => { drawing ||= requestAnimationFrame(() => { drawing = 0; if (printed) output.textContent = printed; if (calls.length) { show(shownCalls, timeline(calls)); told(); } }); };
  try {
    await stream("run", { code: code.value, timeout, validate_only: only }, mine.signal, (e) => {
      if (e.event === "output") { printed += e.text + "\n"; draw(); }
      else if (e.event === "call") { calls.push(e.call); draw(); }
      else end = e;
    });
    cancelAnimationFrame(drawing);
    if (end.event === "error") throw new Problem("refused", end.message);
    finish(end, only, calls, { answer, output, shownCalls, side });
  } catch (e) {
    if (mine.signal.aborted) status.textContent = `Cancelled after ${duration(performance.now() - begun)}. The server ends the program.`;
    else { status.textContent = ""; show($("code-error"), problemBox(wordsOf(e))); }
    cancelAnimationFrame(drawing);
    if (printed) output.textContent = printed;
    if (calls.length) show(shownCalls, timeline(calls));
  } finally {
    running = null;
    buttons(false);
  }
}

function buttons(busy) {
  const focused = document.activeElement;
  $("run").disabled = $("validate").disabled = busy;
  $("cancel").disabled = !busy;
  // A button that is switched off loses the focus; it goes to the one that is of use now.
  if (busy && (focused === $("run") || focused === $("validate"))) $("cancel").focus();
  if (!busy && focused === $("cancel")) $("run").focus();
}

function finish({ result: r, pretty }, only, calls, { answer, output, shownCalls, side }) {
  const took = duration(r.execution_time * 1000);
  if (only && r.report) {
    const problems = r.report.problems ?? [];
    status.textContent = problems.length ? `The program would not run: ${plural(problems.length, "problem")}.` : "The program would run.";
    if (problems.length) lines(problems[0].line);
    show($("run-out"), h("div", { class: "answer" },
      h("h2", null, problems.length ? "Problems" : "May call"),
      problems.length ? h("ul", { class: "problems" }, problems.map((p) => h("li", null, lineLink(p.line, p.column), p.message, p.hint ? h("span", { class: "why" }, p.hint) : null)))
        : h("p", null, (r.report.calls ?? []).length ? list(r.report.calls) : "nothing of the host"),
      (r.report.host_calls ?? []).length ? [h("h2", null, "Host calls"), h("p", null, list(r.report.host_calls))] : null));
    return;
  }
  status.textContent = r.success ? `Done in ${took}.` : `The program failed after ${took}: ${r.error.kind}.`;
  if (r.error) {
    lines(r.error.line);
    show(answer, h("h2", null, "Error"), h("div", { class: "error" },
      h("p", null, h("b", null, `${r.error.kind} `), r.error.line ? lineLink(r.error.line, r.error.column) : null, r.error.message),
      r.error.hint ? h("p", null, r.error.hint) : null));
  } else {
    show(answer, h("h2", null, "Result"), pretty && pretty !== "null" ? h("pre", { class: "box", tabindex: "0", role: "region", "aria-label": "Result" }, pretty) : h("p", { class: "quiet" }, "The program has no result: assign it to __result__."),
      r.truncated ? h("p", { class: "note" }, r.kept ? `The answer was cut. The whole of it (${bytes(r.kept.bytes)}) is kept as ${r.kept.handle}.` : "The answer was cut.") : null);
  }
  for (const d of r.degraded ?? []) answer.append(h("p", { class: "note warn" }, h("b", null, "Degraded: "), d));
  if (r.output) output.textContent = r.output;
  else show(output, h("span", { class: "quiet" }, "nothing printed"));
  show(shownCalls, calls.length ? timeline(calls, r.execution_time * 1000) : h("p", { class: "quiet" }, "none"));
  show(side, ledger(r));
}

const list = (names) => names.map((n, i) => [i ? ", " : "", h("code", null, n)]);

function lineLink(line, column) {
  if (!line) return null;
  return [h("button", { type: "button", class: "title", on: { click: () => {
    const at = code.value.split("\n").slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + Math.max(0, (column || 1) - 1);
    code.focus();
    code.setSelectionRange(at, at);
  } } }, `line ${line}${column ? `, column ${column}` : ""}`), ": "];
}

function ledger({ ledger: l, usage: u, execution_time }) {
  const most = Math.max(l.tokens_touched, l.tokens_returned, 1);
  const less = fewer(l.tokens_touched, l.tokens_returned);
  const row = (k, v) => h("div", null, h("dt", null, k), h("dd", null, v));
  return [h("h2", null, "Token ledger"),
    h("dl", { class: "ledger" },
      h("div", null, h("dt", null, "Touched inside"), h("dd", null, count(l.tokens_touched)), h("dd", { class: "drawn" }, bar(["touched", l.tokens_touched / most]))),
      h("div", null, h("dt", null, "Returned"), h("dd", null, count(l.tokens_returned)), h("dd", { class: "drawn" }, bar(["returned", l.tokens_returned / most])))),
    less ? h("p", { class: "big" }, less, h("span", null, " fewer tokens for the model")) : null,
    h("dl", { class: "facts" },
      row("Hits", count(l.hits)), row("Documents", count(l.documents)), row("Host calls", count(u.host_calls)), row("Time of the host", duration(l.host_ms)),
      row("Time in all", duration(execution_time * 1000)), row("Processor time", duration(u.cpu_ns / 1e6)), row("Memory", bytes(u.memory_bytes)), row("Steps", count(u.steps)))];
}

