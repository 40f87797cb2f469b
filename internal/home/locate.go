package home

// Paths is where a running program finds what setup prepared.
type Paths struct {
	Home        string // the data folder
	PostgresBin string // folder with initdb and postgres; empty when BMCIS_DATABASE_URL is set
	ONNXRuntime string // the library file
	ModelDir    string // folder of the embedding model
	Model       string // the embedding model's .onnx
	Tokenizer   string // its tokenizer.json
}
