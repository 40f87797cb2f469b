package tracker

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Sizes say how much there is. Each counts; zero fields take the default.
type Sizes struct {
	Issues   int           // of a repository, closed ones included; default 260
	Open     int           // of these, default 140
	Timeouts int           // of the open ones, those that mention timeouts; default 120
	Files    int           // that a comparison has changed; default 26
	Rows     int           // of the sheet; default 10,000
	Deploy   time.Duration // that a deployment takes; default 1.9 s
}

// Small is enough to try every tool.
var Small = Sizes{Issues: 30, Open: 20, Timeouts: 15, Files: 10, Rows: 300, Deploy: 300 * time.Millisecond}

func (s Sizes) orDefault() Sizes {
	for _, f := range []struct {
		field *int
		value int
	}{{&s.Issues, 260}, {&s.Open, 140}, {&s.Timeouts, 120}, {&s.Files, 26}, {&s.Rows, 10_000}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if s.Deploy == 0 {
		s.Deploy = 1900 * time.Millisecond
	}
	return s
}

// An Issue of a repository. Details are JSON's names.
type Issue struct {
	Number   int       `json:"number"`
	Title    string    `json:"title"`
	State    string    `json:"state"`
	Labels   []string  `json:"labels"`
	Author   string    `json:"author"`
	Created  string    `json:"created"`
	Comments int       `json:"comments"`
	Body     string    `json:"body"`
	thread   []Comment // what get_issue shows
}

// A Comment on an issue.
type Comment struct {
	Author  string `json:"author"`
	Created string `json:"created"`
	Body    string `json:"body"`
}

// A Comparison of two versions.
type Comparison struct {
	Base    string        `json:"base"`
	Head    string        `json:"head"`
	Commits []Commit      `json:"commits"`
	Files   []ChangedFile `json:"files"`
}

// A Commit of a comparison.
type Commit struct {
	SHA     string `json:"sha"`
	Author  string `json:"author"`
	Message string `json:"message"`
}

// A ChangedFile of a comparison.
type ChangedFile struct {
	Path      string `json:"path"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
	Patch     string `json:"patch"`
}

var (
	people = strings.Fields("mreyes tkowalski aokafor jlindqvist pnair dschmidt ycho rbianchi sfarouk emartin kwatanabe lnovak")
	parts  = strings.Fields("client server pool scheduler retry dialer cache stream router worker session codec queue balancer resolver proxy")
	places = strings.Fields("staging production the-canary eu-west us-east the-nightly-run my-laptop the-load-test")
	things = []string{"upload", "health check", "batch import", "websocket", "TLS handshake", "DNS lookup", "bulk export", "login", "webhook", "long poll", "database query", "file download"}
	// {p} a part, {w} a place, {t} a thing, {n} a number, {f} a file.
	about = []string{
		"After the update the {p} waits for {n} seconds although the deadline of the {t} has passed.",
		"We see this in {w} about {n} times a day, mostly when the {p} is under load.",
		"The log of the {p} shows nothing between the start of the {t} and the error.",
		"Steps: start the {p} with the default settings, begin a {t}, and unplug the network after {n} seconds.",
		"Expected: the {t} fails with an error that names the {p}. Actual: it hangs until the process is restarted.",
		"It does not happen with version 1.3, where the {p} gave up after {n} milliseconds.",
		"Raising the limit to {n} helps for a while, but then the {p} runs out of connections.",
		"A goroutine dump has {n} goroutines that all wait for the same lock in the {p}.",
		"The {t} itself is fine: the same request by hand takes {n} milliseconds.",
		"I have attached the trace of a {t} in {w}; the gap of {n} seconds is easy to see.",
		"Our workaround is to close the {p} every {n} minutes, which drops the {t} of everybody else.",
		"The documentation says that the {p} takes the shorter one of both limits, and that is not what we see.",
	}
	timeouts = []string{
		"The error is `context deadline exceeded`, a timeout that nobody has set.",
		"The timeout of the {t} is not handed on to the {p}.",
		"There is a timeout of {n} seconds in the config, and the {p} ignores it.",
	}
	remarks = []string{
		"Same here in {w}, with {n} clients. The {p} is the one that blocks.",
		"I cannot reproduce this with a {t} alone; it needs the {p} as well.",
		"A bisect ends at the change in {f}, though I do not see why it would matter.",
		"Look at {f}: the deadline is computed before the {t} is queued, so {n} seconds are lost.",
		"Could this be the same as what we saw in the {p} last month? There it was a missing reset.",
		"With the change to {f} taken back, the {t} ends after {n} milliseconds as it should.",
		"Adding a log line to {f} shows that the {p} is asked {n} times for one {t}.",
		"We run a patched build in {w} now, and it holds. The tests of the {p} still pass.",
		"Please give the output of the {p} with debug logging, and how many {t} requests are open at that time.",
		"Here it is: {n} open, the oldest since {n} minutes, all of them in the {p}.",
	}
)

// text writes n to m sentences of a list with its gaps filled.
func text(r *rand.Rand, sentences, files []string, n, m int) string {
	var b strings.Builder
	for i := range n + r.IntN(m-n+1) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(fill(r, sentences[r.IntN(len(sentences))], files))
	}
	return b.String()
}

func fill(r *rand.Rand, s string, files []string) string {
	for _, gap := range []struct {
		mark string
		word func() string
	}{
		{"{p}", func() string { return parts[r.IntN(len(parts))] }},
		{"{w}", func() string { return places[r.IntN(len(places))] }},
		{"{t}", func() string { return things[r.IntN(len(things))] }},
		{"{n}", func() string { return fmt.Sprint(2 + r.IntN(900)) }},
		{"{f}", func() string { return files[r.IntN(len(files))] }},
	} {
		for strings.Contains(s, gap.mark) {
			s = strings.Replace(s, gap.mark, gap.word(), 1)
		}
	}
	return s
}

func day(r *rand.Rand) string {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(300*24*60)) * time.Minute).Format(time.RFC3339)
}

// paths are the files of a repository. The first ones are those that a comparison changes.
func paths() []string {
	var out []string
	for i, p := range parts {
		for _, kind := range []string{"timeout", "conn", "config"} {
			out = append(out, fmt.Sprintf("internal/%s/%s.go", p, kind))
		}
		if i%2 == 0 {
			out = append(out, "cmd/"+p+"d/main.go")
		}
	}
	r := rand.New(rand.NewPCG(7, 1))
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// issues draws the issues of a repository, the newest first. The open ones that mention
// timeouts are spread among the others.
func issues(s Sizes) []Issue {
	r := rand.New(rand.NewPCG(7, 2))
	files := paths()
	kinds := make([]int, s.Issues) // 0 closed, 1 open, 2 open and about timeouts
	for i := range kinds {
		switch {
		case i < s.Timeouts:
			kinds[i] = 2
		case i < s.Open:
			kinds[i] = 1
		}
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	out := make([]Issue, s.Issues)
	for i := range out {
		is := Issue{Number: s.Issues - i, State: "open", Labels: []string{"bug"}, Author: people[r.IntN(len(people))], Created: day(r)}
		is.Title = fill(r, "The {p} hangs on a {t} in {w}", nil)
		is.Body = text(r, about, files, 3, 9)
		switch kinds[i] {
		case 0:
			is.State = "closed"
		case 2:
			is.Labels = append(is.Labels, "timeouts")
			is.Body += " " + fill(r, timeouts[r.IntN(len(timeouts))], files)
		}
		for range min(r.IntN(15), r.IntN(15)) {
			is.thread = append(is.thread, Comment{people[r.IntN(len(people))], day(r), text(r, remarks, files, 2, 5)})
		}
		is.Comments = len(is.thread)
		out[i] = is
	}
	return out
}

func comparison(s Sizes, base, head string) Comparison {
	r := rand.New(rand.NewPCG(7, 3))
	c := Comparison{Base: base, Head: head}
	for range 18 {
		c.Commits = append(c.Commits, Commit{fmt.Sprintf("%016x", r.Uint64()), people[r.IntN(len(people))], fill(r, "{p}: hand the deadline of the {t} on", nil)})
	}
	files := paths()
	for _, path := range files[:min(s.Files, len(files))] {
		f := ChangedFile{Path: path}
		var b strings.Builder
		fmt.Fprintf(&b, "@@ -%d,8 +%d,12 @@\n", 10+r.IntN(300), 10+r.IntN(300))
		for range 6 + r.IntN(25) {
			switch r.IntN(3) {
			case 0:
				f.Additions++
				b.WriteString(fill(r, "+\tctx, cancel := context.WithTimeout(ctx, {n}*time.Millisecond) // {p}\n", files))
			case 1:
				f.Deletions++
				b.WriteString(fill(r, "-\tif err := {p}.Wait({n}); err != nil {\n", files))
			default:
				b.WriteString(fill(r, " \treturn fmt.Errorf(\"{p}: %w\", err)\n", files))
			}
		}
		f.Patch = b.String()
		c.Files = append(c.Files, f)
	}
	return c
}

var columns = []string{"order", "date", "customer", "city", "region", "status", "items", "amount", "note"}

// rows draws the sheet; amounts are cents.
func rows(s Sizes) [][]any {
	r := rand.New(rand.NewPCG(7, 4))
	cities := []struct{ city, region string }{
		{"Hamburg", "north"}, {"Oslo", "north"}, {"Lyon", "west"}, {"Porto", "west"}, {"Graz", "south"},
		{"Bari", "south"}, {"Brno", "east"}, {"Riga", "east"},
	}
	notes := []string{"", "", "deliver to the back door", "gift, no invoice in the parcel", "call before delivery", "second attempt, first was refused", "customer asked for a discount"}
	states := []string{"shipped", "shipped", "shipped", "delivered", "delivered", "delivered", "delivered", "cancelled", "returned", "pending"}
	out := make([][]any, s.Rows)
	for i := range out {
		c := cities[r.IntN(len(cities))]
		out[i] = []any{
			fmt.Sprintf("A-%05d", 10000+i), day(r)[:10], people[r.IntN(len(people))], c.city, c.region, states[r.IntN(len(states))],
			1 + r.IntN(20), 500 + r.IntN(5_000_000), notes[r.IntN(len(notes))],
		}
	}
	return out
}
