package models

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// VerifyReranker hashes the bundled reranker. It fails only when the program was
// built from damaged files.
func VerifyReranker() error {
	for _, f := range RerankerFiles() {
		sum := sha256.Sum256(mustRead("reranker/" + f.Path))
		if got := hex.EncodeToString(sum[:]); got != f.SHA256 {
			return fmt.Errorf("bundled %s has sha256 %s instead of %s: this program was built from damaged files; install it again", f.Path, got, f.SHA256)
		}
	}
	return nil
}

// RerankerFiles names the bundled files.
func RerankerFiles() []File {
	return []File{
		{Path: "model_int8.onnx", Size: 23433974, SHA256: RerankerModelSHA256},
		{Path: "tokenizer.json", Size: 527292, SHA256: RerankerTokenizerSHA256},
		{Path: "config.json", Size: 1063, SHA256: rerankerConfigSHA256},
	}
}
