package rank

// The default scale of cosines, for bge-small-en-v1.5, whose cosines of any two English
// texts seldom lie below 0.5: over eight judged collections (2026-11-21) the best
// chunk of a query has 0.69 to 0.89 (10th to 90th percentile by collection), the
// hundredth best 0.49 to 0.76. So 0.5 means nothing in common and 1 the same. The
// best BM25 score is 0.2 to 0.66 of its bound. With these two scales a lexical weight
// of 0.5 is near the best fixed one: on claude_docs, codebase_chunks, cranfield,
// scifact and datatalks_faq the mean nDCG@10 is 71.6 (best fixed weight 71.7, rrf with
// k = 60 below by more than 1, better leg of each 67.9). Scaling by the best score
// that was found instead of the bound gave no more (68.3 against 68.3 over all eight).
//
// The order depends only on CosineHigh − CosineLow and the weights; CosineLow sets
// where a score is 0. Another embedding model needs its own scale.
const (
	DefaultCosineLow  = 0.5
	DefaultCosineHigh = 1.0
)
