// Package wordpiece is the BERT uncased tokenizer: text goes in, token ids come
// out, as Hugging Face's tokenizers library makes them from tokenizer.json.
// internal/embed and rerank call it.
package wordpiece
