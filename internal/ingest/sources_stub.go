package ingest

// Files reads files and folders.
func Files(paths ...string) Source { return nil }

// URL reads web pages.
func URL(urls ...string) Source { return nil }

// BEIR reads dir/corpus.jsonl.
func BEIR(dir string) Source { return nil }

// JSONL reads one JSON document a line; "-" is standard input.
func JSONL(path string) Source { return nil }
