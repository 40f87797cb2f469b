"""Trained weights into the ONNX files that BMCIS ships.

In: the .safetensors of train.py and its .dev.npz. Out: a folder with model.onnx
(float32), model_int8.onnx (dynamic int8, which is shipped), config.json with the
calibration, and on standard output how far each step moved the scores. Dynamic int8
computes one scale a tensor and run, so a score depends on its batch mates: BMCIS runs
one pair at a time, and so does the comparison here.

  python export.py out.safetensors bmcis-reranker-v2/ --name bmcis-reranker-v2
"""

import argparse
import json
import os

import numpy as np
import onnxruntime as ort
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.torch import load_file

from model import CLS, SEP, CrossEncoder


def calibrate(logits, labels):
    """Platt's scaling (1999): a and b of sigmoid(a * logit + b), by Newton's method,
    with his smoothed targets. The candidates it is fitted on hold one right passage in
    twenty; prior moves that to one in five, which is nearer to a page of hits."""
    n1, n0 = labels.sum(), (~labels).sum()
    t = np.where(labels, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    w = np.where(labels, 0.2 / n1, 0.8 / n0) * len(labels)
    a, b = 1.0, 0.0
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(a * logits + b, -30, 30)))
        g = np.array([(w * (p - t) * logits).sum(), (w * (p - t)).sum()])
        h = w * p * (1 - p)
        m = np.array([[(h * logits**2).sum(), (h * logits).sum()], [(h * logits).sum(), h.sum()]]) + 1e-9 * np.eye(2)
        step = np.clip(np.linalg.solve(m, g), -1, 1)  # separable labels would run away
        a, b = a - step[0], b - step[1]
        if np.abs(step).max() < 1e-8:
            break
    return float(a), float(b)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("weights")
    p.add_argument("out")
    p.add_argument("--name", required=True)
    p.add_argument("--length", type=int, default=256, help="trained length, for config.json")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    model = CrossEncoder()
    model.load_state_dict({k: v.float() for k, v in load_file(a.weights).items()})
    model.eval()

    rng = np.random.default_rng(3)
    pairs = []
    for _ in range(200):
        q, d = rng.integers(1000, 30000, rng.integers(2, 20)), rng.integers(1000, 30000, rng.integers(5, 200))
        ids = np.concatenate([[CLS], q, [SEP], d, [SEP]]).astype(np.int64)[None]
        kinds = np.concatenate([np.zeros(len(q) + 2), np.ones(len(d) + 1)]).astype(np.int64)[None]
        pairs.append({"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds})
    names = ["input_ids", "attention_mask", "token_type_ids"]
    example = tuple(torch.from_numpy(np.repeat(pairs[0][n], 2, 0)) for n in names)
    full, small = a.out + "/model.onnx", a.out + "/model_int8.onnx"
    torch.onnx.export(model, example, full, input_names=names, output_names=["logits"], opset_version=17, dynamo=False,
                      dynamic_axes={n: {0: "batch", 1: "sequence"} for n in names} | {"logits": {0: "batch"}})
    quantize_dynamic(full, small, weight_type=QuantType.QInt8, per_channel=True, extra_options={"MatMulConstBOnly": True})

    with torch.no_grad():
        want = np.array([model(*(torch.from_numpy(x[n]) for n in names))[0, 0].item() for x in pairs])
    for path in (full, small):
        session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
        got = np.array([session.run(None, x)[0][0, 0] for x in pairs])
        print(f"{path}: {os.path.getsize(path):,} bytes, scores differ by at most {np.abs(got - want).max():.2g}, correlation {np.corrcoef(got, want)[0, 1]:.4f}")

    dev = np.load(a.weights + ".dev.npz")
    scale, offset = calibrate(dev["logits"], dev["labels"])
    print(f"relevance = sigmoid({scale:.4f} * logit + {offset:.4f})")
    config = {"name": a.name, "model_type": "bert", "base": "sentence-transformers/all-MiniLM-L6-v2", "num_labels": 1,
              "hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "vocab_size": 30522,
              "layout": "[CLS] query (at most 48 tokens) [SEP] passage [SEP]", "trained_max_length": a.length,
              "calibration": {"scale": round(scale, 4), "offset": round(offset, 4)}}
    with open(a.out + "/config.json", "w") as f:
        json.dump(config, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
