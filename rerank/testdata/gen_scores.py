#!/usr/bin/env python3
"""Writes scores.json: pairs of our own with the scores of Python's ONNX
Runtime, one pair a run, query cut to 48 tokens and the pair to 160.

    pip install onnxruntime==1.31.1 tokenizers==0.23.3 numpy
    python3 gen_scores.py ../../models/reranker/model_int8.onnx ../../models/reranker/tokenizer.json > scores.json
"""
import hashlib
import json
import sys

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

CLS, SEP = 101, 102
PASSAGES = [
    "A context carries deadlines and cancellation signals across API boundaries. Call cancel to stop the query.",
    "Vacuum reclaims storage occupied by dead tuples; run it after large deletes.",
    "To cancel a running query, send a cancel request from another connection, or call pg_cancel_backend.",
    "Bananas are rich in potassium.",
    "",
    "café, naïve, 漢字, 😀 and \u0007 control characters",
    "cancel " * 400,
]
QUERIES = ["how do I cancel a running query", "", "vacuum dead tuples", "why " * 100 + "does it fail"]


def main():
    model, tokenizer = sys.argv[1:3]
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    tok = Tokenizer.from_file(tokenizer)
    tok.no_padding()
    tok.no_truncation()

    def tokens(s, n):
        return tok.encode(s, add_special_tokens=False).ids[:n]

    cases = []
    for q in QUERIES:
        qt = tokens(q, 48)
        scores = []
        for p in PASSAGES:
            pt = tokens(p, 160 - 3 - len(qt))
            ids = np.array([[CLS] + qt + [SEP] + pt + [SEP]], dtype=np.int64)
            types = np.array([[0] * (len(qt) + 2) + [1] * (len(pt) + 1)], dtype=np.int64)
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
            scores.append(float(session.run(None, feed)[0][0, 0]))
        cases.append({"query": q, "scores": scores})
    sha = hashlib.sha256(open(model, "rb").read()).hexdigest()
    json.dump({"runtime": ort.__version__, "model_sha256": sha, "passages": PASSAGES, "cases": cases}, sys.stdout, indent=1)
    print()


main()
