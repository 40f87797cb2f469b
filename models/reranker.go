package models

import "embed"

//go:embed reranker/model_int8.onnx reranker/tokenizer.json reranker/config.json
var rerankerFiles embed.FS

// RerankerName and RerankerModelSHA256 name the bundled cross-encoder.
const (
	RerankerName            = "bmcis-reranker-v1"
	RerankerModelSHA256     = "101cd3387c40e26c9433ea7e25f759ea06cbea4b5ffe7b633fadbe3cba25d61b"
	RerankerTokenizerSHA256 = "6681992d43e581b35b3dd61f3c81ee0f891fbf13ad54f8b692ea868bd46b066b"
	rerankerConfigSHA256    = "7b576736f543191d2d504483071d0247522c512be569c877353894f284ee7860"
)

// Reranker returns the bundled cross-encoder: the int8 ONNX model and its
// tokenizer.json. They are part of the program, so a plain `go install` has
// them; nothing is copied before the first call. Each call returns fresh copies
// (23 MB), which the caller owns. Safe for concurrent use.
func Reranker() (model, tokenizerJSON []byte) {
	return mustRead("reranker/model_int8.onnx"), mustRead("reranker/tokenizer.json")
}

func mustRead(name string) []byte {
	data, err := rerankerFiles.ReadFile(name)
	if err != nil {
		panic("models: embedded file " + name + " is missing: " + err.Error()) // decided at build time
	}
	return data
}
