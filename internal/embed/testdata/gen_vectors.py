#!/usr/bin/env python3
"""Writes vectors.json: texts of our own with the vectors of Python's ONNX
Runtime, one text a run, [CLS] row scaled to unit length.

    pip install onnxruntime==1.31.1 tokenizers==0.23.3 numpy
    python3 gen_vectors.py MODEL.onnx TOKENIZER.json > vectors.json
"""
import base64
import hashlib
import json
import sys

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

PROMPT = "Represent this sentence for searching relevant passages: "
TEXTS = [
    ("query", "how do I cancel a running query"),
    ("query", "ERR_CONN_RESET 0x80070005"),
    ("query", ""),
    ("passage", ""),
    ("passage", "x"),
    ("passage", "A context carries deadlines and cancellation signals across API boundaries."),
    ("passage", "Vacuum reclaims storage occupied by dead tuples; run it after large deletes."),
    ("passage", "Der Index wird neu aufgebaut, café, naïve, 漢字, 😀 und \u0007 Steuerzeichen."),
    ("passage", "func Fuse(lexical, vector []Scored) []Fused { return nil }"),
    ("passage", "long text " * 1000),
]


def main():
    model, tokenizer = sys.argv[1:3]
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    tok = Tokenizer.from_file(tokenizer)
    tok.no_padding()
    tok.enable_truncation(512)
    cases = []
    for kind, text in TEXTS:
        ids = np.array([tok.encode((PROMPT if kind == "query" else "") + text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        row = session.run(None, feed)[0][0, 0]
        row = (row / np.linalg.norm(row)).astype("<f4")
        cases.append({"kind": kind, "text": text, "vector": base64.b64encode(row.tobytes()).decode()})
    sha = hashlib.sha256(open(model, "rb").read()).hexdigest()
    json.dump({"runtime": ort.__version__, "model_sha256": sha, "cases": cases}, sys.stdout, indent=1)
    print()


main()
