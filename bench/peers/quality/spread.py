#!/usr/bin/env python3
"""How much a text's vector depends on its company in a batch (dynamic int8 scales by the
whole batch): cosine between alone and among 32, padded, over documents of a collection.

    spread.py BEIR_DIR MODEL.onnx TOKENIZER.json [TEXTS]
"""
import json
import os
import sys

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer


def main():
    beir, model, tokenizer = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 320
    with open(os.path.join(beir, "corpus.jsonl"), encoding="utf-8") as f:
        docs = [json.loads(line) for line in f][:count]
    texts = [(d.get("title", "") + " " + d["text"]).strip() for d in docs]
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    tok = Tokenizer.from_file(tokenizer)
    tok.enable_truncation(512)

    def embed(batch):
        enc = tok.encode_batch(batch)
        ids = np.array([e.ids for e in enc], dtype=np.int64)
        mask = np.array([e.attention_mask for e in enc], dtype=np.int64)
        rows = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0][:, 0]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    tok.no_padding()
    alone = np.vstack([embed([t]) for t in texts])
    tok.enable_padding()
    among = np.vstack([embed(texts[i:i + 32]) for i in range(0, len(texts), 32)])
    cosines = (alone * among).sum(axis=1)
    near = (alone @ alone.T - 2 * np.eye(len(texts))).argmax(axis=1)
    near2 = (alone @ among.T - 2 * np.eye(len(texts))).argmax(axis=1)
    print(f"{os.path.basename(os.path.normpath(beir))}: {len(texts)} texts, cosine alone against among 32: "
          f"mean {cosines.mean():.5f}, 5th percentile {np.percentile(cosines, 5):.5f}, least {cosines.min():.5f}; "
          f"another nearest neighbour for {100 * np.mean(near != near2):.1f} %")


main()
