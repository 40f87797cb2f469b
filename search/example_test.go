package search_test

import (
	"context"
	"fmt"
	"iter"
	"log"

	"github.com/bmcis/bmcis/filter"
	"github.com/bmcis/bmcis/search"
)

// notes is a source of one's own: any type that hands over documents one by one.
type notes []search.SourceDocument

func (n notes) Documents(context.Context) iter.Seq2[search.SourceDocument, error] {
	return func(yield func(search.SourceDocument, error) bool) {
		for _, d := range n {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Example indexes three notes and asks two questions: one in words of its own, one
// with a filter and an explanation.
func Example() {
	ctx := context.Background()
	engine, err := search.Open(ctx, search.Config{DSN: exampleDatabase(ctx)}) // an empty DSN is the private database
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	report, err := engine.Index(ctx, search.IndexOptions{Collection: "notes"}, notes{
		{ID: "raft", Title: "Raft", Text: "A candidate that wins the votes of a majority becomes the leader of the term.", Source: "wiki", Metadata: map[string]any{"topic": "consensus", "year": 2014}},
		{ID: "paxos", Title: "Paxos", Text: "Proposers and acceptors agree on one value even when messages are lost.", Source: "wiki", Metadata: map[string]any{"topic": "consensus", "year": 1998}},
		{ID: "bread", Title: "Bread", Text: "Let the dough rest for an hour before it goes into the oven.", Source: "kitchen", Metadata: map[string]any{"topic": "baking", "year": 2020}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("indexed", report.Added)

	results, err := engine.Search(ctx, search.Request{Collection: "notes", Query: "how is a leader elected?", Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range results.Hits {
		fmt.Println(hit.DocumentID, hit.Title)
	}

	recent, err := filter.Parse(`topic = "consensus" and year < 2000`)
	if err != nil {
		log.Fatal(err)
	}
	results, err = engine.Search(ctx, search.Request{Collection: "notes", Query: "agree on a value", Filter: recent, Explain: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range results.Hits {
		fmt.Println(hit.DocumentID, hit.Metadata["year"], hit.Explain != nil)
	}
	// Output:
	// indexed 3
	// raft Raft
	// paxos 1998 true
}
