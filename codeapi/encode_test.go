package codeapi

import (
	"encoding/json"
	"strings"
	"testing"
)

// results runs a program and returns its answer or its error's message.
func answer(t *testing.T, program string) string {
	t.Helper()
	res := runProgram(t, newFakeHost(), program, nil)
	if res.Error != nil {
		return "error: " + res.Error.Message
	}
	if res.Result != nil && !json.Valid(res.Result) {
		t.Errorf("%s: not JSON: %s", program, res.Result)
	}
	return string(res.Result)
}

func TestAnswers(t *testing.T) {
	for program, want := range map[string]string{
		`result = {"a": [1, 2.5, True, None, "é\n\"\\"]}`: `{"a":[1,2.5,true,null,"é\n\"\\"]}`,
		`result = (1, 2)`:                    `[1,2]`,
		`result = {3, 1, 2}`:                 `[1,2,3]`,
		`result = {"b", "a"}`:                `["a","b"]`,
		`result = {1, "a"}`:                  `[1,"a"]`,
		`result = 10**30`:                    `1000000000000000000000000000000`,
		`result = 1e300`:                     `1e+300`,
		`result = 2.0`:                       `2.0`,
		`result = [x * x for x in range(3)]`: `[0,1,4]`,
		`result = (x for x in range(3))`:     `[0,1,2]`,
		`result = {1: "a", None: "b"}`:       `{"1":"a","null":"b"}`,
		"import datetime\nresult = [datetime.date(2024, 5, 31), datetime.datetime(2024, 5, 31, 1, 2)]":                  `["2024-05-31","2024-05-31T01:02:00"]`,
		"import collections\nresult = [collections.Counter('aab'), collections.deque([1])]":                             `[{"a":2,"b":1},[1]]`,
		"from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: list\nresult = P(1, [P(2, None)])": `{"x":1,"y":[{"x":2,"y":null}]}`,
		"class C:\n    def __init__(self):\n        self.a = 1\nresult = [C()]":                                         `[{"a":1}]`,
		`result = None`:                                    `null`,
		`__result__ = 1; result = 2; 3`:                    `1`,
		`5`:                                                `5`,
		`"\x7f\x01 control"`:                               `"\u007f\u0001 control"`,
		`result = {"a": {"b": lambda: 0}}`:                 `error: TypeError: result["a"]["b"]: a function cannot be returned as JSON`,
		`result = [1, [2, float("nan")]]`:                  `error: ValueError: result[1][1]: nan cannot be returned as JSON; use None instead`,
		`result = {(1, 2): 3}`:                             `error: TypeError: result: keys must be strings to be returned as JSON, got tuple (1, 2)`,
		`result = b"x"`:                                    `error: TypeError: result: bytes cannot be returned as JSON; use base64.b64encode(...).decode()`,
		"a = []\na.append(a)\nresult = a":                  `error: ValueError: result[0]: this value contains itself`,
		"a = {}\na['x'] = [a]\nresult = a":                 `error: ValueError: result["x"][0]: this value contains itself`,
		"import json\nresult = json":                       `error: TypeError: result: a module cannot be returned as JSON`,
		"a = []\nfor i in range(300): a = [a]\nresult = a": `error: ValueError: result` + strings.Repeat("[0]", 201) + `: nested deeper than 200 levels`,
		"a = [1]\nresult = [a, a]":                         `[[1],[1]]`,
		"result = [ValueError('bad', 1), KeyError('k'), RuntimeError()]": `["ValueError: ('bad', 1)","KeyError: 'k'","RuntimeError"]`,
		"class Mine(Exception):\n    pass\nresult = {'e': Mine('own')}":  `{"e":"Mine: own"}`,
		"async def f(): pass\nresult = [f()]":                            "error: TypeError: result[0]: a coroutine that nobody has awaited cannot be returned as JSON",
		"result = 10 ** 4299 % 10":                                       "0",
		"result = -(10 ** 4299)":                                         "-1" + strings.Repeat("0", 4299),
		"result = 10 ** 4300":                                            "error: ValueError: result: an int of 14285 bits is too long for JSON, which takes 4300 digits",
	} {
		if got := answer(t, program); got != want {
			t.Errorf("%s\n got  %s\n want %s", program, got, want)
		}
	}
}

func TestAnswersAreCutAtElements(t *testing.T) {
	for name, c := range map[string]struct{ program, starts, ends, left string }{
		"list":        {`list(range(10000))`, `[0,1,2,`, `more elements"]`, "result: "},
		"records":     {`[{"id": i, "text": "x" * 50} for i in range(1000)]`, `[{"id":0,"text":"xxx`, `more elements"]`, "more elements"},
		"in a dict":   {`{"total": 5, "items": [{"id": i} for i in range(1000)]}`, `{"total":5,"items":[{"id":0}`, `more elements"]}`, `result["items"]: `},
		"dict":        {`{"k%d" % i: i for i in range(1000)}`, `{"k0":0,"k1":1`, `more keys"}`, "more keys"},
		"text":        {`"ä" * 5000`, `"ää`, `more characters]"`, "more characters"},
		"first large": {`[["x" * 5000], 1, 2]`, `[["xxx`, `2 more elements"]`, "result: 2 more elements"},
		"nested":      {`{"a": {"b": {"c": list(range(5000))}}}`, `{"a":{"b":{"c":[0,1`, `]}}}`, `result["a"]["b"]["c"]: `},
		"empty":       {`[[] for i in range(5000)]`, `[[],[],`, `more elements"]`, "result: "},
		"empty dicts": {`[{} for i in range(5000)]`, `[{},{},`, `more elements"]`, "result: "},
		"one more":    {`["x" * 400, "y" * 300, "z" * 100]`, `["xxx`, `more elements"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, limit := range []int{500, 1000, 2000} {
				h := newFakeHost()
				l := limitsWith(limit)
				res := Engine(t.Context(), programOf("result = "+c.program), l, h)
				if res.Error != nil {
					t.Fatal(res.Error)
				}
				got := string(res.Result)
				if len(got) > limit || !json.Valid(res.Result) {
					t.Fatalf("limit %d: %d bytes: %s", limit, len(got), got)
				}
				if name == "one more" && limit >= 1000 {
					if res.Truncated {
						t.Errorf("limit %d: cut without need: %s", limit, got)
					}
					continue
				}
				if !res.Truncated || !strings.HasPrefix(got, c.starts) {
					t.Errorf("limit %d: truncated %v, got %s", limit, res.Truncated, got)
				}
				if name != "one more" && !strings.HasSuffix(got, c.ends) {
					t.Errorf("limit %d: got %s, want it to end %s", limit, got, c.ends)
				}
				if out := h.output.String(); !strings.Contains(out, "left out: ") || !strings.Contains(out, c.left) {
					t.Errorf("limit %d: the note is %q, want %q in it", limit, out, c.left)
				}
			}
		})
	}
}

// The whole of an answer that was cut goes to the host, and the note says where it is.
func TestCutAnswersAreKeptWhole(t *testing.T) {
	for program, c := range map[string]struct{ whole, note string }{
		`[{"i": i} for i in range(100)]`:                       {`[{"i":0},`, `the result of 891 bytes was cut to 284 bytes; left out: result: 70 more elements; all of it: `},
		`{"rows": [i for i in range(300)], "n": 3, "last": 1}`: {`{"rows":[0,1`, `left out: result: 2 more keys, result["rows"]: `},
		`(i * i for i in range(200))`:                          {`[0,1,4,`, `; all of it: read_file("kept-1") until 2026-12-24T18:00:00Z]`},
		`{"rows": map(str, range(500))}`:                       {``, `[the result was cut to 284 bytes; left out: result["rows"]: 448 more elements]`}, // used up by the first writing
		`["ab" * 3_000_000]`:                                   {``, `the result of more than 4193280 bytes was cut to 310 bytes; `},
	} {
		h := newFakeHost()
		res := Engine(t.Context(), programOf("print('x', end='')\nresult = "+program), limitsWith(500), h)
		if res.Error != nil || !res.Truncated {
			t.Fatalf("%s: %+v", program, res)
		}
		if out := h.output.String(); !strings.HasPrefix(out, "x\n[") || !strings.Contains(out, c.note) {
			t.Errorf("%s: the note is %q, want %q in it", program, out, c.note)
		}
		if (h.kept != nil) != (c.whole != "") || !strings.HasPrefix(string(h.kept), c.whole) || h.kept != nil && !json.Valid(h.kept) {
			t.Errorf("%s: kept %.100s, want %s…", program, h.kept, c.whole)
		}
	}
	// No more calls and no more output than the program itself may make.
	h := newFakeHost()
	l := limitsWith(500)
	l.HostCalls, l.OutputBytes = 1, 100
	res := Engine(t.Context(), programOf("search.hybrid_search('raft')\nprint('x' * 99)\nresult = list(range(1000))"), l, h)
	if res.Error != nil || !res.Truncated || h.kept != nil || h.output.Len() != 100 {
		t.Errorf("at the limits: %+v, %d bytes of output, kept %.20s", res.Error, h.output.Len(), h.kept)
	}
}

func TestTinyLimits(t *testing.T) {
	for limit := 16; limit < 200; limit++ {
		res := Engine(t.Context(), programOf(`result = [{"a": ["x" * 100]}] * 50`), limitsWith(limit), newFakeHost())
		if res.Error != nil || len(res.Result) > limit || !json.Valid(res.Result) || !res.Truncated {
			t.Fatalf("limit %d: %s %+v", limit, res.Result, res.Error)
		}
	}
}

// FuzzJSONRoundTrip gives a JSON value to a program as context and takes it back
// as the answer.
func FuzzJSONRoundTrip(f *testing.F) {
	for _, s := range []string{`null`, `[1, 2.5, "a"]`, `{"a": {"b": [true, false]}}`, `"é\u0000\n"`, `123456789012345678901234567890`, `1e-7`, `[[[]]]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		dec := json.NewDecoder(strings.NewReader(s))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) != nil || strings.Count(s, "[")+strings.Count(s, "{") > 150 {
			return
		}
		p := programOf("result = v")
		p.Context = map[string]any{"v": v}
		res := Engine(t.Context(), p, limitsWith(1<<20), newFakeHost())
		if res.Error != nil {
			if strings.Contains(res.Error.Message, "out of range") || strings.Contains(res.Error.Message, "too long") {
				return
			}
			t.Fatalf("%s: %+v", s, res.Error)
		}
		var back, want any
		if err := json.Unmarshal(res.Result, &back); err != nil {
			t.Fatalf("%s became %s: %v", s, res.Result, err)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return
		}
		if json.Unmarshal(raw, &want) != nil {
			return
		}
		a, _ := json.Marshal(back)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Fatalf("%s became %s", b, a)
		}
	})
}
