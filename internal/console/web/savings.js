// Tokens that programs touched and returned, over time: a chart, and the same as a table.
import { $, h, svg, show, count, compact, plural, duration, fewer, table, problemBox } from "./dom.js";
import { get, wordsOf } from "./api.js";

const form = $("savings-form");
let answer = null;

export function meet() {}
export const enter = () => load();
export const again = () => load();

form.addEventListener("submit", (e) => { e.preventDefault(); load(); });
form.addEventListener("change", () => load());

async function load() {
  $("savings-status").textContent = "Adding up…";
  try {
    const identity = $("savings-identity").value.trim();
    answer = await get("savings", { range: form.elements.range.value, identity });
    show($("savings-error"));
    render();
  } catch (e) {
    $("savings-status").textContent = "";
    show($("savings-error"), problemBox(wordsOf(e)));
  }
}

const spans = { hour: "the last hour", day: "the last 24 hours", week: "the last 7 days", month: "the last 30 days", year: "the last 365 days" };

function render() {
  const { stats: s, points, range } = answer;
  if (!s.runs) {
    $("savings-status").textContent = `No program was run in ${spans[range]}.`;
    show($("savings-out"), h("p", { class: "quiet" }, "Run one in the pane Code, or let an agent call execute_code."));
    return;
  }
  const less = fewer(s.tokens_touched, s.tokens_returned);
  $("savings-status").textContent = `${plural(s.runs, "program")} in ${spans[range]}.`;
  const failed = s.runs - (s.outcomes.ok ?? 0);
  const tile = (name, value, under) => h("div", null, h("dt", null, name), h("dd", null, value), h("dd", { class: "under" }, under ?? "\u00a0"));
  const chart = h("div", { class: "chart" });
  show($("savings-out"),
    h("dl", { class: "tiles" },
      tile("Fewer tokens", less || "–", "for the model"),
      tile("Touched", compact(s.tokens_touched), count(s.tokens_touched)),
      tile("Returned", compact(s.tokens_returned), count(s.tokens_returned)),
      tile("Programs", count(s.runs), failed ? `${count(failed)} not ok` : "all ok"),
      tile("Time, median", duration(s.p50_ms), `p95 ${duration(s.p95_ms)}`)),
    h("p", { class: "legend", "aria-hidden": "true" }, h("span", { class: "key touched" }), "touched inside", h("span", { class: "key returned" }), "returned to the model"),
    chart,
    h("details", null, h("summary", null, "The same as a table"), asTable(points)));
  draw(chart);
}

new ResizeObserver(() => { const chart = document.querySelector("#savings-out .chart"); if (chart && answer) draw(chart); }).observe($("savings-out"));

const two = (n) => String(n).padStart(2, "0");
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"], months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// label names the start of a span; the spans are cut in UTC, and so are their names.
function label(iso, range) {
  const d = new Date(iso);
  const clock = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
  if (range === "hour" || range === "day") return clock;
  const day = `${d.getUTCDate()} ${months[d.getUTCMonth()]}`;
  return range === "week" ? `${days[d.getUTCDay()]} ${clock}` : day;
}

// nice is the next round number, so that the axis has few, plain marks.
function nice(n) {
  const power = 10 ** Math.floor(Math.log10(n));
  return [1, 2, 2.5, 5, 10].map((f) => f * power).find((x) => x >= n);
}

function draw(box) {
  const { points, range, stats } = answer;
  const width = Math.max(320, box.clientWidth), height = 260;
  const left = 52, right = 8, top = 12, bottom = 30;
  const most = Math.max(...points.map((p) => Math.max(p.tokens_touched, p.tokens_returned)), 1);
  const step = nice(most / 4), high = Math.ceil(most / step) * step;
  const y = (v) => top + (height - top - bottom) * (1 - v / high);
  const slot = (width - left - right) / points.length, thick = Math.max(2, Math.min(36, slot * 0.7));
  const marks = [];
  for (let v = 0; v <= high + step / 2; v += step) {
    marks.push(svg("line", { class: v ? "grid" : "axis", x1: left, x2: width - right, y1: y(v), y2: y(v) }),
      svg("text", { class: "tick", x: left - 8, y: y(v) + 4, "text-anchor": "end" }, compact(v)));
  }
  const every = Math.ceil(points.length / Math.max(2, Math.floor((width - left) / 76)));
  const bars = points.map((p, i) => {
    const x = left + slot * (i + 0.5) - thick / 2;
    const column = (kind, v) => (v ? svg("rect", { class: kind, x, width: thick, y: Math.min(y(v), y(0) - 1.5), height: Math.max(1.5, y(0) - y(v)), rx: Math.min(2, thick / 2) }) : null);
    return svg("g", null, svg("title", null, `${label(p.start, range)} UTC: ${count(p.tokens_touched)} touched, ${count(p.tokens_returned)} returned, ${plural(p.runs, "program")}`),
      svg("rect", { class: "hover", x: left + slot * i, width: slot, y: top, height: height - top - bottom }),
      column("touched", p.tokens_touched), column("returned", p.tokens_returned),
      i % every === 0 ? svg("text", { class: "tick", x: left + slot * (i + 0.5), y: height - 10, "text-anchor": "middle" }, label(p.start, range)) : null);
  });
  const summary = `Chart: ${count(stats.tokens_touched)} tokens touched and ${count(stats.tokens_returned)} returned in ${spans[range]}; the table below has each span.`;
  show(box, svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": summary }, marks, bars), h("p", { class: "hint" }, "Times are UTC."));
}

function asTable(points) {
  const busy = points.filter((p) => p.runs).reverse();
  return table("Tokens over time", ["From (UTC)", { text: "Programs", num: true }, { text: "Not ok", num: true }, { text: "Touched", num: true }, { text: "Returned", num: true }, { text: "Fewer", num: true }],
    busy.map((p) => h("tr", null, h("th", { scope: "row" }, p.start.replace("T", " ").replace(/:00(\.\d+)?Z$/, "")), ...[p.runs, p.failed, p.tokens_touched, p.tokens_returned].map((n) => h("td", { class: "num" }, count(n))), h("td", { class: "num" }, fewer(p.tokens_touched, p.tokens_returned) || "–"))));
}
