"""Pairs of query and passage into one file of token ids, ready to train on.

In: JSON lines with query, positive, title, src, path, kind (xz or plain). Out: an .npz
with the tokens of every passage and query, each query's passage, its pool (the
repository or question set that negatives come from) and its BM25 candidates there.
Needs no torch and no accelerator; about ten minutes on two cores.

  python prepare.py pairs.jsonl.xz train.npz
"""

import argparse
import hashlib
import json
import lzma
import random
import re

import bm25s
import numpy as np
import Stemmer
from tokenizers import Tokenizer

# Whole repositories that are never trained on: progress is measured on them.
DEV = ("rust-lang/book", "prometheus/docs", "fastapi/fastapi", "rabbitmq/rabbitmq-website",
       "symfony/symfony-docs", "traefik/traefik")
QUERY_TOKENS = 48
PASSAGE_TOKENS = 256
CANDIDATES = 30   # BM25 candidates kept per query
PER_DOCUMENT = 40  # pairs of one document at most: manuals would drown the rest

BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')
QUESTION = re.compile(r"^(how|what|why|when|where|which|who|can|do|does|is|are|should|will)\b", re.I)
SENTENCE = re.compile(r"(?<=[.!?])\s+")


def read(path):
    """Rows of the file; a few sources wrote backslashes that JSON does not know."""
    with (lzma.open if path.endswith(".xz") else open)(path, "rt", encoding="utf8", errors="replace") as f:
        for line in f:
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                yield json.loads(BAD_ESCAPE.sub(r"\\\\", line), strict=False)


def phrasings(row, rng):
    """Queries that ask for the row's passage, with what has to go from it: the given
    one, and for documentation a second, as people and agents would type it."""
    q, kind = " ".join(row["query"].split()), row["kind"]
    yield q, None
    words = q.split()
    short = kind in ("heading", "title", "short+title", "generic+title") and not QUESTION.match(q)
    dice = rng.random()
    if short and dice < 0.25:
        yield rng.choice(("how do I {}", "how to {}", "what is {}", "{}?", "explain {}")).format(q[:1].lower() + q[1:]), None
    elif short and dice < 0.40:
        yield q.lower(), None
    elif len(words) > 5 and dice < 0.55:
        kept = [w for w in words if len(w) > 9 or rng.random() > 0.3]
        if len(kept) > 1:
            yield " ".join(kept), None
    # A sentence of the passage asks for the rest of it (inverse cloze task).
    if kind not in ("qa_sentence", "qa_long") and rng.random() < 0.30:
        sentences = [s for s in SENTENCE.split(row["positive"]) if 6 <= len(s.split()) <= 32]
        if len(sentences) > 2:
            s = rng.choice(sentences)
            w = s.split()
            text = " ".join(x for x in w if len(x) > 3 and rng.random() > 0.3) if rng.random() < 0.4 else s
            if text:
                yield text, (s if rng.random() < 0.85 else None)


def flat(lists):
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(x) for x in lists], out=offsets[1:])
    return np.fromiter((t for x in lists for t in x), np.uint16, int(offsets[-1])), offsets


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("pairs")
    p.add_argument("out")
    p.add_argument("--tokenizer", default="../reranker/tokenizer.json")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--limit", type=int, default=0, help="first rows only, to try it out")
    a = p.parse_args()
    rng = random.Random(a.seed)
    tok = Tokenizer.from_file(a.tokenizer)
    tok.no_truncation()
    tok.no_padding()

    passages, titles, pools, of_text = [], [], [], {}
    queries, of_query, cut, kinds, per_doc = [], [], [], [], {}
    for n, row in enumerate(read(a.pairs)):
        if a.limit and n >= a.limit:
            break
        doc = (row["src"], row["path"] if row["kind"] not in ("qa", "qa_sentence", "qa_long") else n)
        per_doc[doc] = per_doc.get(doc, 0) + 1
        if per_doc[doc] > PER_DOCUMENT:
            continue
        key = hashlib.sha256((row["src"] + "\0" + row["positive"]).encode()).digest()
        if key not in of_text:
            of_text[key] = len(passages)
            passages.append(row["positive"][:2500])
            titles.append(row["title"] or "")
            pools.append(row["src"])
        for q, gone in phrasings(row, rng):
            queries.append(q)
            of_query.append(of_text[key])
            cut.append(gone)
            kinds.append(row["kind"])

    # Small sources share a pool, so that every query has enough wrong passages.
    size = {}
    for s in pools:
        size[s] = size.get(s, 0) + 1
    names = sorted(s for s in size if size[s] >= 300 or s in DEV) + ["*"]
    number = {s: i for i, s in enumerate(names)}
    pool = np.array([number.get(s, number["*"]) for s in pools], np.int16)
    of_query = np.array(of_query, np.int32)
    same = {}
    for i, q in enumerate(queries):
        same.setdefault(q.lower(), set()).add(int(of_query[i]))

    candidates = np.full((len(queries), CANDIDATES), -1, np.int32)
    place = np.full(len(queries), -1, np.int16)  # of the right passage among them
    stemmer = Stemmer.Stemmer("english")
    for k, name in enumerate(names):
        members = np.flatnonzero(pool == k)
        asked = np.flatnonzero(pool[of_query] == k)
        if len(members) < 2 or len(asked) == 0:
            continue
        index = bm25s.BM25(k1=1.2, b=0.75)
        index.index(bm25s.tokenize([titles[i] + " " + passages[i] for i in members], stopwords=None, stemmer=stemmer, show_progress=False), show_progress=False)
        found, _ = index.retrieve(bm25s.tokenize([queries[i] for i in asked], stopwords=None, stemmer=stemmer, show_progress=False),
                                  k=min(CANDIDATES + 5, len(members)), show_progress=False, n_threads=2)
        for row, i in zip(found, asked):
            right = same[queries[i].lower()]
            at = np.flatnonzero(members[row] == of_query[i])
            place[i] = at[0] if len(at) else -1
            wrong = [m for m in members[row] if int(m) not in right][:CANDIDATES]
            candidates[i, :len(wrong)] = wrong
        print(f"{name}: {len(members)} passages, {len(asked)} queries", flush=True)

    def ids(texts, limit):
        return [e.ids[:limit] for e in tok.encode_batch(texts, add_special_tokens=False)]

    text, text_at = flat(ids(passages, PASSAGE_TOKENS))
    title, title_at = flat(ids(titles, 24))
    query, query_at = flat(ids(queries, QUERY_TOKENS))
    gone, gone_at = flat(ids([c or "" for c in cut], 64))
    dev = np.array([n in DEV for n in names])
    np.savez_compressed(a.out, text=text, text_at=text_at, title=title, title_at=title_at, query=query, query_at=query_at,
                        gone=gone, gone_at=gone_at, positive=of_query, pool=pool, candidates=candidates, place=place, dev=dev,
                        kind=np.array(kinds), names=np.array(names))
    print(f"{len(passages)} passages, {len(queries)} queries, {int(dev[pool[of_query]].sum())} of them held out")


if __name__ == "__main__":
    main()
