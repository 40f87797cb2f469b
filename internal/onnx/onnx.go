// Package onnx runs BERT-shaped models on ONNX Runtime: token ids go in, the
// model's first output comes out. internal/embed and rerank call it; nothing
// else in the project touches the runtime's binding.
package onnx
