// Building elements and writing numbers. Nothing here or elsewhere parses text as HTML:
// what documents hold is shown as text.

// h makes an element. props: class, on (listeners), css (properties set one by one, which
// a strict style-src allows), data, and attributes; a value of false, null or undefined
// leaves an attribute out.
export function h(tag, props, ...children) {
  return build(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return build(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

function build(el, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (key === "on") for (const [type, f] of Object.entries(value)) el.addEventListener(type, f);
    else if (key === "css") for (const [name, v] of Object.entries(value)) el.style.setProperty(name, v);
    else el.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    el.append(child);
  }
  return el;
}

export const $ = (id) => document.getElementById(id);

export const show = (el, ...children) => el.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));

export const fixed = (n, digits = 2) => n.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
export const count = (n) => n.toLocaleString("en");
export const compact = (n) => n.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

export function duration(ms) {
  if (ms < 1) return `${fixed(ms, 2)} ms`;
  if (ms < 1000) return `${fixed(ms, ms < 100 ? 1 : 0)} ms`;
  return `${fixed(ms / 1000, ms < 10000 ? 2 : 1)} s`;
}

export function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) { n /= 1024; i++; }
  return `${fixed(n, i === 0 || n >= 100 ? 0 : 1)} ${units[i]}`;
}

// fewer says how much smaller b is than a; "" where there is nothing to compare.
export function fewer(a, b) {
  if (!(a > 0) || b >= a) return "";
  const share = 1 - b / a;
  return `${fixed(Math.floor(share * 1000) / 10, 1)} %`;
}

// moment is a time of the clock on the wall; its title is the same in UTC.
export function moment(iso) {
  const d = new Date(iso), two = (n) => String(n).padStart(2, "0");
  const text = `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
  return h("time", { datetime: iso, title: d.toISOString() }, text);
}

// bar draws shares of a whole, for the eye; the numbers stand beside it.
export function bar(...parts) {
  return h("span", { class: "bar", "aria-hidden": "true" },
    parts.map(([kind, share]) => h("span", { class: `fill ${kind}`, css: { width: `${Math.max(0, Math.min(1, share)) * 100}%` } })));
}

export function table(caption, heads, rows, props = {}) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", props, h("caption", { class: "sr" }, caption),
      h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col", class: head.num ? "num" : null }, head.text ?? head)))),
      h("tbody", null, rows)));
}

export const problemBox = (message) => h("p", { class: "error", role: "alert" }, message);
