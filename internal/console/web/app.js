// Starts the page: which pane is shown, who asks, light and dark, and what to do when the
// server is gone.
import { $, h, show } from "./dom.js";
import { get, heard, token } from "./api.js";
import * as search from "./search.js";
import * as code from "./code.js";
import * as savings from "./savings.js";
import * as audit from "./audit.js";
import * as health from "./health.js";

const panes = { search, code, savings, audit, health };
const titles = { search: "Search", code: "Code", savings: "Savings", audit: "Audit", health: "Collections" };

let me = null; // what the server says of us; null until it has answered
let shown = "";

const wanted = () => {
  const name = location.hash.replace(/^#\//, "");
  return name in panes ? name : "search";
};

// route shows the pane of the address. byUser moves the focus to its heading.
function route(byUser) {
  const signing = me === null && !$("sign-in").hidden;
  const name = wanted();
  for (const [pane] of Object.entries(panes)) $(`pane-${pane}`).hidden = signing || pane !== name;
  for (const a of document.querySelectorAll("nav a")) {
    if (a.dataset.pane === name) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  document.title = `${titles[name]} · BMCIS console`;
  if (me && shown !== name) {
    shown = name;
    panes[name].enter(me);
  }
  if (byUser && !signing) $("main").focus({ preventScroll: true });
}

// begin asks who we are and fills the panes.
async function begin() {
  try {
    me = await get("me");
  } catch (e) {
    if (e.kind === "refused") show($("lost"), h("p", null, e.message), h("button", { type: "button", on: { click: begin } }, "Try again"));
    return; // "lost" and "token" have been shown
  }
  show($("lost"));
  $("sign-in").hidden = true;
  $("who").textContent = me.identity + (me.admin ? " (administrator)" : "");
  $("who").title = `BMCIS ${me.version}`;
  $("sign-out").hidden = !token.get();
  for (const el of document.querySelectorAll(".admin")) el.hidden = !me.admin;
  for (const pane of Object.values(panes)) pane.meet(me);
  shown = "";
  route(false);
}

heard.reached = (yes) => {
  const box = $("lost");
  if (yes) { if (box.dataset.lost) { delete box.dataset.lost; show(box); } return; }
  if (box.dataset.lost) return;
  box.dataset.lost = "yes";
  const retry = h("button", { type: "button", on: { click: again } }, "Try again");
  show(box, h("p", null, h("b", null, "The server does not answer."), " It was stopped, or the way to it is cut. What is on the page stays."), retry);
};

async function again(e) {
  e.target.disabled = true;
  e.target.textContent = "Trying…";
  const before = me;
  delete $("lost").dataset.lost;
  if (!before) { await begin(); return; }
  try {
    me = await get("me");
    show($("lost"));
    panes[wanted()].again();
  } catch { me = before; }
  if ($("lost").hasChildNodes()) $("lost").querySelector("button")?.focus();
  else $("main").focus({ preventScroll: true });
}

heard.unknown = (message) => {
  token.forget();
  me = null;
  shown = "";
  show($("lost"));
  for (const pane of Object.keys(panes)) $(`pane-${pane}`).hidden = true;
  $("who").textContent = "";
  $("sign-out").hidden = true;
  $("sign-in").hidden = false;
  $("sign-in-error").textContent = message;
  $("sheet").close();
  $("token").focus();
};

$("sign-in-form").addEventListener("submit", async (e) => {
  e.preventDefault();
  const text = $("token").value.trim();
  if (!text) return;
  if (!/^[\x21-\x7e]+$/.test(text)) { $("sign-in-error").textContent = "A token has letters and digits only; copy it whole."; return; }
  token.set(text);
  $("token").value = "";
  $("sign-in-error").textContent = "";
  await begin();
  if (me) $("main").focus({ preventScroll: true });
});

$("sign-out").addEventListener("click", () => {
  token.forget();
  location.reload(); // nothing of what was shown stays
});

$("skip").addEventListener("click", (e) => { e.preventDefault(); $("main").focus(); });

const theme = $("theme");
theme.value = document.documentElement.dataset.theme ?? "system";
theme.addEventListener("change", () => {
  if (theme.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
  try { localStorage.setItem("bmcis-theme", theme.value); } catch { /* for this visit */ }
});

window.addEventListener("hashchange", () => route(true));
route(false);
begin();
