// Talks to the server. Every failure is a Problem with a sentence for people.

const base = "api/";
const key = "bmcis-token";

// kinds: "lost" (nobody answers), "token" (who asks is not known), "refused" (an answer
// that says no).
export class Problem extends Error {
  constructor(kind, message) { super(message); this.kind = kind; }
}

// wordsOf is the sentence for a failure. One that is no Problem is a fault of the page,
// and goes to the browser's console as well.
export function wordsOf(e) {
  if (!(e instanceof Problem)) console.error(e);
  return e.message;
}

let memory = null; // where the tab has no storage
export const token = {
  get() { try { return sessionStorage.getItem(key) ?? memory; } catch { return memory; } },
  set(text) { memory = text; try { sessionStorage.setItem(key, text); } catch { /* memory has it */ } },
  forget() { memory = null; try { sessionStorage.removeItem(key); } catch { /* memory had it */ } },
};

// Listeners: reached(true or false), and unknown(message) when a token is asked for.
export const heard = { reached() {}, unknown() {} };

async function send(path, options = {}) {
  const headers = { ...options.headers };
  const secret = token.get();
  if (secret) headers.Authorization = `Bearer ${secret}`;
  let response;
  try {
    response = await fetch(base + path, { ...options, headers, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw lost("The server does not answer.");
  }
  heard.reached(true);
  if (response.ok) return response;
  const message = await words(response);
  if (response.status === 401) {
    heard.unknown(secret ? message : "");
    throw new Problem("token", message);
  }
  throw new Problem("refused", message);
}

function lost(text) {
  heard.reached(false);
  return new Problem("lost", text);
}

// words is the reason in the body of a refusal.
async function words(response) {
  let text = "";
  try {
    const { error } = await response.json();
    text = typeof error === "string" ? error : error?.message ?? "";
  } catch { /* no JSON: a proxy's page, say */ }
  if (!text) text = `The server answered ${response.status} ${response.statusText}.`;
  const wait = response.headers.get("Retry-After");
  if (response.status === 429 && wait) text += ` (try again in ${wait} s)`;
  return text;
}

async function json(response) {
  try {
    return await response.json();
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw lost("The connection was lost before the answer was whole.");
  }
}

const filled = (params) => {
  const q = new URLSearchParams(Object.entries(params ?? {}).filter(([, v]) => v !== "" && v !== null && v !== undefined)).toString();
  return q ? `?${q}` : "";
};

export const get = async (path, params, signal) => json(await send(path + filled(params), { signal }));

const body = (value, signal) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value), signal });

export const post = async (path, value, signal) => json(await send(path, body(value, signal)));

// stream posts and hands over each line of the answer as it comes.
export async function stream(path, value, signal, each) {
  const response = await send(path, body(value, signal));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", ended = false;
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (e) {
      if (signal.aborted) throw e;
      throw lost("The connection was lost while the program ran; the server ends programs whose caller has gone.");
    }
    const lines = (rest + (part.value ?? "")).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line) continue;
      const e = JSON.parse(line);
      ended ||= e.event === "end" || e.event === "error";
      each(e);
    }
    if (part.done) break;
  }
  if (!ended) throw lost("The connection was lost while the program ran; the server ends programs whose caller has gone.");
}
