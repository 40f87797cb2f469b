package telemetry

import "github.com/prometheus/client_golang/prometheus"

// metrics are the instruments, in the order of docs/observability.md.
type metrics struct {
	httpRequests *prometheus.CounterVec
	httpTime     *prometheus.HistogramVec

	toolCalls *prometheus.CounterVec
	toolTime  *prometheus.HistogramVec
	toolBytes *prometheus.CounterVec
	sessions  *prometheus.CounterVec

	programs      *prometheus.CounterVec
	programTime   *prometheus.HistogramVec
	programWait   prometheus.Histogram
	programSource prometheus.Histogram
	programCPU    prometheus.Counter
	programMemory prometheus.Histogram
	programCalls  prometheus.Histogram
	programSteps  prometheus.Counter
	programBytes  prometheus.Counter
	combinations  *prometheus.CounterVec
	useCases      *prometheus.CounterVec
	touched       *prometheus.CounterVec
	returned      *prometheus.CounterVec

	hostCalls *prometheus.CounterVec
	hostTime  *prometheus.HistogramVec

	searches   *prometheus.CounterVec
	searchTime *prometheus.HistogramVec
	stageTime  *prometheus.HistogramVec
	candidates *prometheus.HistogramVec
	reranked   prometheus.Counter
	degraded   *prometheus.CounterVec

	cacheHits   prometheus.Counter
	cacheMisses prometheus.Counter
	cacheRead   prometheus.Counter
	segments    prometheus.Histogram

	errors *prometheus.CounterVec
}

// Bounds of histograms, in seconds and bytes. The answers of a server lie between a
// millisecond (a cached search) and a minute (a program at its limit); 2 s, the promise
// about the 95th percentile, is a bound, so that it can be read off exactly.
var (
	callSeconds    = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60}
	stageSeconds   = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5}
	sourceBytes    = []float64{64, 128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 32 << 10, 256 << 10}
	memoryBytes    = []float64{16 << 20, 32 << 20, 64 << 20, 128 << 20, 256 << 20, 512 << 20, 1 << 30}
	countOfThings  = []float64{0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	segmentsLooked = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}
)

func newMetrics(registry *prometheus.Registry) metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
		registry.MustRegister(h)
		return h
	}
	one := func(name, help string) prometheus.Counter { return counter(name, help).WithLabelValues() }
	plain := func(name, help string, buckets []float64) prometheus.Histogram {
		return histogram(name, help, buckets).WithLabelValues().(prometheus.Histogram)
	}
	return metrics{
		httpRequests: counter("bmcis_http_requests_total", "HTTP requests that have been answered.", "path", "method", "code"),
		httpTime:     histogram("bmcis_http_request_duration_seconds", "Time from a POST or GET to the end of its answer; not of streams that clients keep open.", callSeconds, "path"),

		toolCalls: counter("bmcis_tool_calls_total", "Calls of this server's own tools.", "tool", "outcome"),
		toolTime:  histogram("bmcis_tool_duration_seconds", "Time that a call of a tool took, waiting included.", callSeconds, "tool"),
		toolBytes: counter("bmcis_tool_answer_bytes_total", "Text in the answers of tools.", "tool"),
		sessions:  counter("bmcis_sessions_total", "Sessions that have called a tool (mode any), run a program (code), called a direct tool (direct). A session counts once for each.", "mode"),

		programs:      counter("bmcis_programs_total", "Programs by how they ended.", "outcome"),
		programTime:   histogram("bmcis_program_duration_seconds", "Time from a program's start to its outcome, without waiting for room.", callSeconds, "use_case"),
		programWait:   plain("bmcis_program_wait_seconds", "Time that a program waited for room.", callSeconds),
		programSource: plain("bmcis_program_source_bytes", "Length of programs.", sourceBytes),
		programCPU:    one("bmcis_program_cpu_seconds_total", "Processor time of the children that ran programs."),
		programMemory: plain("bmcis_program_memory_bytes", "Peak resident memory of the children that ran programs, text shared with the server included.", memoryBytes),
		programCalls:  plain("bmcis_program_host_calls", "Host calls that a program made.", countOfThings),
		programSteps:  one("bmcis_program_steps_total", "Steps of the interpreter."),
		programBytes:  one("bmcis_program_sent_bytes_total", "What programs sent: output, arguments of host calls, results."),
		combinations:  counter("bmcis_program_combinations_total", "Programs by the kinds of functions that they used together, such as rerank+search.", "combination"),
		useCases:      counter("bmcis_program_use_cases_total", "Programs by what they were for, as far as their calls tell.", "use_case"),
		touched:       counter("bmcis_tokens_touched_total", "Tokens that direct tools would have put into the model's context for the same work (o200k).", "use_case"),
		returned:      counter("bmcis_tokens_returned_total", "Tokens of the answers of programs (o200k).", "use_case"),

		hostCalls: counter("bmcis_host_calls_total", "Calls that programs, and direct tools of services, made on the host.", "method", "outcome"),
		hostTime:  histogram("bmcis_host_call_duration_seconds", "Time of these calls.", callSeconds, "method"),

		searches:   counter("bmcis_searches_total", "Searches by the plan of the router.", "mode", "class"),
		searchTime: histogram("bmcis_search_duration_seconds", "Time of a search, all stages.", callSeconds, "mode"),
		stageTime:  histogram("bmcis_search_stage_duration_seconds", "Time of the stages of searches; the legs lexical and vector run side by side.", stageSeconds, "stage"),
		candidates: histogram("bmcis_search_candidates", "Candidates that a leg of a search found.", countOfThings, "leg"),
		reranked:   one("bmcis_search_reranked_passages_total", "Passages that the reranker scored in searches."),
		degraded:   counter("bmcis_search_degraded_total", "Searches that went without a part that failed or ran out of time.", "stage"),

		cacheHits:   one("bmcis_lexical_cache_hits_total", "Lists of terms that were in memory."),
		cacheMisses: one("bmcis_lexical_cache_misses_total", "Lists of terms that were read from the database."),
		cacheRead:   one("bmcis_lexical_read_bytes_total", "What was read of the lexical index from the database."),
		segments:    plain("bmcis_lexical_segments_per_search", "Segments that a search looked at, the tail included.", segmentsLooked),

		errors: counter("bmcis_errors_total", "What went wrong, by where (tool, program, host_call, search, http) and kind.", "where", "kind"),
	}
}
