package rank

// The default scale of cosines, for bge-small-en-v1.5.
const (
	DefaultCosineLow  = 0.5
	DefaultCosineHigh = 1.0
)
