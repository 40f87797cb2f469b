// The timeline of a run's host calls: a table whose last column draws when each was.
import { h, table, duration, fixed } from "./dom.js";

export function timeline(calls, total) {
  const end = Math.max(total ?? 0, ...calls.map((c) => c.start_ms + c.ms), 1);
  const rows = calls.toSorted((a, b) => a.start_ms - b.start_ms).map((c, i) => h("tr", { class: c.outcome === "ok" ? null : "bad" },
    h("td", { class: "num quiet" }, i + 1),
    h("th", { scope: "row" }, h("code", null, c.method), c.target ? h("span", { class: "quiet" }, ` ${c.target}`) : null,
      c.outcome === "ok" ? null : h("span", { class: "why" }, `${c.outcome}: ${c.error}`)),
    h("td", { class: "num" }, fixed(c.start_ms, 1)),
    h("td", { class: "num" }, duration(c.ms)),
    h("td", { class: "lane", "aria-hidden": "true" },
      h("span", { css: { left: `${(100 * c.start_ms) / end}%`, width: `max(3px, ${(100 * c.ms) / end}%)` } }))));
  return table("Host calls in time", [{ text: "#", num: true }, "Call", { text: "Start, ms", num: true }, { text: "Took", num: true }, `0 – ${duration(end)}`], rows, { class: "calls" });
}
