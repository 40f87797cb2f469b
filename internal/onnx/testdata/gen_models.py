#!/usr/bin/env python3
"""Writes tiny models of a few hundred bytes, good and bad ones, for tests.

    pip install onnx
    python3 gen_models.py
"""
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

ROWS, WIDTH = 10, 4


def value(name, kind, shape):
    return h.make_tensor_value_info(name, kind, shape)


def save(name, inputs, outputs, nodes, rows=ROWS):
    table = (np.arange(rows * WIDTH, dtype=np.float32).reshape(rows, WIDTH) + 1) / 8
    ones = np.ones((WIDTH, 2), dtype=np.float32)
    graph = h.make_graph(nodes, "tiny", inputs, outputs, [
        nh.from_array(table, "word_embeddings"),
        nh.from_array(ones[:, :1].copy(), "one"),
        nh.from_array(ones, "two"),
    ])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], producer_name="")
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, name + ".onnx")


FREE = ["batch", "sequence"]
ids, mask, types = (value(n, T.INT64, FREE) for n in ("input_ids", "attention_mask", "token_type_ids"))
gather = h.make_node("Gather", ["word_embeddings", "input_ids"], ["rows"])
floats = h.make_node("Cast", ["attention_mask"], ["keep"], to=T.FLOAT)
column = h.make_node("Unsqueeze", ["keep", "axis"], ["column"])
axis = h.make_node("Constant", [], ["axis"], value=h.make_tensor("axis", T.INT64, [1], [2]))
kept = h.make_node("Mul", ["rows", "column"], ["kept"])
first = [gather, floats, axis, column, kept]
mean = h.make_node("ReduceMean", ["kept"], ["mean"], axes=[1], keepdims=0)

# One row for each token: what an embedding model answers.
tokens = value("hidden", T.FLOAT, FREE + [WIDTH])
hidden = h.make_node("Identity", ["kept"], ["hidden"])
save("tokens", [ids, mask], [tokens], first + [hidden])
save("tokens_reordered", [mask, ids], [tokens], first + [hidden])

# One score for a pair: what a cross-encoder answers. With types it adds them.
score = value("logits", T.FLOAT, ["batch", 1])
save("score", [ids, mask], [score], first + [mean, h.make_node("MatMul", ["mean", "one"], ["logits"])])
add_types = [
    h.make_node("Cast", ["token_type_ids"], ["typef"], to=T.FLOAT),
    h.make_node("ReduceSum", ["typef", "axis1"], ["typesum"], keepdims=1),
    h.make_node("Constant", [], ["axis1"], value=h.make_tensor("axis1", T.INT64, [1], [1])),
]
add_types = [add_types[0], add_types[2], add_types[1]]
save("score_types", [ids, mask, types], [score],
     first + [mean, h.make_node("MatMul", ["mean", "one"], ["raw"])] + add_types + [h.make_node("Add", ["raw", "typesum"], ["logits"])])

# Bad ones.
save("two_labels", [ids, mask], [value("logits", T.FLOAT, ["batch", 2])],
     first + [mean, h.make_node("MatMul", ["mean", "two"], ["logits"])])
save("fixed_length", [value("input_ids", T.INT64, [1, 128]), value("attention_mask", T.INT64, [1, 128])],
     [value("hidden", T.FLOAT, [1, 128, WIDTH])], first + [hidden])
save("unknown_input", [ids, mask, value("pixel_values", T.FLOAT, FREE)], [tokens], first + [hidden])
save("no_mask", [ids], [tokens], [gather, h.make_node("Identity", ["rows"], ["hidden"])])
save("int_output", [ids, mask], [value("hidden", T.INT64, FREE + [WIDTH])],
     first + [h.make_node("Cast", ["kept"], ["hidden"], to=T.INT64)])
save("whole_table", [ids, mask], [value("all", T.FLOAT, [ROWS, WIDTH])],
     first + [h.make_node("Identity", ["word_embeddings"], ["all"])])
