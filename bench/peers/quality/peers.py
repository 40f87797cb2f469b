#!/usr/bin/env python3
"""Ranks a judged collection as common Python recipes do and writes TREC run files.

    peers.py BEIR_DIR OUT_DIR MODEL.onnx TOKENIZER.json

bm25s.run        bm25s, Lucene's variant, k1 1.2, b 0.75, Snowball stems, English stop words
rank_bm25.run    rank_bm25's BM25Okapi over lower-cased words, as its manual shows
embeddings.run   the same embedding model through Python's ONNX Runtime, as
                 sentence-transformers does it: batches of 32 sorted by length and padded,
                 [CLS] row, unit length, the model's prompt before queries; all documents
                 compared
rrf.run          reciprocal rank fusion (k = 60, equal weights) of rank_bm25 and embeddings,
                 the best 100 of each
Texts are title and text with a space between, 512 tokens for the model.
"""
import json
import os
import re
import sys
import time

import bm25s
import numpy as np
import onnxruntime as ort
import Stemmer
from rank_bm25 import BM25Okapi
from tokenizers import Tokenizer

DEPTH, BATCH = 100, 32
PROMPT = "Represent this sentence for searching relevant passages: "


def read(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


class Embedder:
    def __init__(self, model, tokenizer):
        options = ort.SessionOptions()
        options.intra_op_num_threads = max(1, len(os.sched_getaffinity(0)))
        self.session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.tok = Tokenizer.from_file(tokenizer)
        self.tok.enable_truncation(512)
        self.tok.enable_padding()

    def __call__(self, texts):
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        out = np.zeros((len(texts), 384), dtype=np.float32)
        for at in range(0, len(order), BATCH):
            part = order[at:at + BATCH]
            enc = self.tok.encode_batch([texts[i] for i in part])
            ids = np.array([e.ids for e in enc], dtype=np.int64)
            mask = np.array([e.attention_mask for e in enc], dtype=np.int64)
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            rows = self.session.run(None, feed)[0][:, 0]
            out[part] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return out


def write(path, ranking, tag):
    with open(path, "w", encoding="utf-8") as f:
        for qid, docs in ranking.items():
            for n, (doc, score) in enumerate(docs, 1):
                f.write(f"{qid} Q0 {doc} {n} {score:.9g} {tag}\n")


def best(scores, ids):
    top = np.argsort(-scores, kind="stable")[:DEPTH]
    return [(ids[i], float(scores[i])) for i in top if scores[i] > 0]


def main():
    beir, out, model, tokenizer = sys.argv[1:5]
    docs = read(os.path.join(beir, "corpus.jsonl"))
    judged = set()
    with open(os.path.join(beir, "qrels.tsv"), encoding="utf-8") as f:
        for line in f:
            judged.add(line.split("\t")[0])
    queries = [q for q in read(os.path.join(beir, "queries.jsonl")) if q["_id"] in judged]
    ids = [d["_id"] for d in docs]
    texts = [(d.get("title", "") + " " + d["text"]).strip() for d in docs]
    questions = [q["text"] for q in queries]
    os.makedirs(out, exist_ok=True)

    started = time.time()
    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    found, scores = index.retrieve(bm25s.tokenize(questions, stopwords="en", stemmer=stemmer, show_progress=False),
                                   k=min(DEPTH, len(ids)), show_progress=False)
    write(os.path.join(out, "bm25s.run"), {q["_id"]: [(ids[int(d)], float(s)) for d, s in zip(found[n], scores[n]) if s > 0]
                                           for n, q in enumerate(queries)}, "bm25s")

    words = lambda t: re.findall(r"\w+", t.lower())
    okapi = BM25Okapi([words(t) for t in texts])
    lexical = {q["_id"]: best(okapi.get_scores(words(q["text"])), ids) for q in queries}
    write(os.path.join(out, "rank_bm25.run"), lexical, "rank_bm25")

    embed = Embedder(model, tokenizer)
    matrix = embed(texts)
    asked = embed([PROMPT + q for q in questions])
    dense = {q["_id"]: best(1 + matrix @ asked[n], ids) for n, q in enumerate(queries)}
    write(os.path.join(out, "embeddings.run"), dense, "embeddings")

    fused = {}
    for q in queries:
        total = {}
        for leg in (lexical[q["_id"]], dense[q["_id"]]):
            for n, (doc, _) in enumerate(leg, 1):
                total[doc] = total.get(doc, 0) + 1 / (60 + n)
        fused[q["_id"]] = sorted(total.items(), key=lambda x: (-x[1], x[0]))[:DEPTH]
    write(os.path.join(out, "rrf.run"), fused, "rrf")
    print(f"{os.path.basename(os.path.normpath(beir))}: {len(docs)} documents, {len(queries)} queries, {time.time() - started:.0f} s", file=sys.stderr)


main()
