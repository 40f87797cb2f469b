#!/usr/bin/env python3
"""Measures run files with ir_measures and prints a table; --plot FILE.svg draws it.

    table.py CORPORA_DIR OUT_DIR SET... [--plot FILE.svg]

OUT_DIR/SET/NAME.run are the runs. Differences have 95 % intervals of a paired bootstrap
over queries (10,000 samples).
"""
import os
import sys

import ir_measures
import numpy as np
from ir_measures import nDCG

RUNS = [("lexical", "ours, BM25"), ("vector", "ours, vectors"), ("hybrid", "ours, hybrid"), ("auto", "ours, default"),
        ("rerank", "ours, hybrid + reranker"), ("bm25s", "bm25s"), ("rank_bm25", "rank_bm25"), ("embeddings", "embeddings in Python"),
        ("rrf", "rank_bm25 + RRF")]
COLOURS = ["#69c", "#6b9", "#06c", "#039", "#c60", "#aaa", "#bbb", "#999", "#777"]


def per_query(corpora, out, name, run):
    path = os.path.join(out, name, run + ".run")
    if not os.path.exists(path):
        return None
    qrels = []
    with open(os.path.join(corpora, name, "qrels.tsv"), encoding="utf-8") as f:
        for n, line in enumerate(f):
            q, d, s = line.rstrip("\n").split("\t")
            if n or s.lstrip("-").isdigit():
                qrels.append(ir_measures.Qrel(q, d, int(s)))
    asked = sorted({q.query_id for q in qrels})
    got = {m.query_id: m.value for m in ir_measures.iter_calc([nDCG @ 10], qrels, ir_measures.read_trec_run(path))}
    return np.array([got.get(q, 0.0) for q in asked])


def interval(d):
    rng = np.random.default_rng(1)
    means = np.array([d[rng.integers(0, len(d), len(d))].mean() for _ in range(10_000)])
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{100 * d.mean():+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"


def draw(path, sets, values):
    left, width, bar, gap = 150, 460, 13, 26
    height = 50 + len(sets) * (len(RUNS) * bar + gap)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" height="{height}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="{left}" y="18" font-weight="bold">nDCG@10</text>']
    y = 38
    for s in sets:
        svg.append(f'<text x="{left}" y="{y - 2}" font-weight="bold">{s}</text>')
        y += 4
        for (run, label), colour in zip(RUNS, COLOURS):
            v = values[s].get(run)
            if v is not None:
                svg.append(f'<text x="{left - 6}" y="{y + 10}" text-anchor="end">{label}</text>')
                svg.append(f'<rect x="{left}" y="{y}" width="{width * v.mean():.1f}" height="{bar - 3}" fill="{colour}"/>'
                           f'<text x="{left + width * v.mean() + 4:.1f}" y="{y + 10}">{100 * v.mean():.1f}</text>')
            y += bar
        y += gap
    svg.append("</svg>\n")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(svg))


def main():
    args = sys.argv[1:]
    plot = None
    if "--plot" in args:
        i = args.index("--plot")
        plot = args[i + 1]
        del args[i:i + 2]
    corpora, out, sets = args[0], args[1], args[2:]
    values = {s: {r: per_query(corpora, out, s, r) for r, _ in RUNS} for s in sets}
    print("| | " + " | ".join(sets) + " |\n|---|" + "---:|" * len(sets))
    for run, label in RUNS:
        cells = ["" if values[s][run] is None else f"{100 * values[s][run].mean():.1f}" for s in sets]
        print(f"| {label} | " + " | ".join(cells) + " |")
    print("\nDifferences in points:\n\n| | " + " | ".join(sets) + " |\n|---|" + "---|" * len(sets))
    for label, a, b in [("hybrid − better leg", None, "hybrid"), ("default − hybrid", "hybrid", "auto"), ("reranker − hybrid", "hybrid", "rerank"),
                        ("BM25 − bm25s", "bm25s", "lexical"), ("vectors − embeddings in Python", "embeddings", "vector"),
                        ("hybrid − rank_bm25 + RRF", "rrf", "hybrid")]:
        cells = []
        for s in sets:
            v = values[s]
            x = a
            if a is None and v["lexical"] is not None and v["vector"] is not None:
                x = max(["lexical", "vector"], key=lambda r: v[r].mean())
            cells.append("" if x is None or v[x] is None or v[b] is None else interval(v[b] - v[x]))
        print(f"| {label} | " + " | ".join(cells) + " |")
    if plot:
        draw(plot, sets, values)


main()
