package tokenbench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// pollEvery is the pause between two looks at a deployment.
const pollEvery = 200 * time.Millisecond

func sheetScript(ctx context.Context, a *agent, p params) (any, error) {
	args := map[string]any{"sheet": "orders-2026"}
	if p.detail != "full" {
		args["columns"] = []string{"order", "region", "status", "amount"}
	}
	sheet, err := ask[struct {
		Columns []string            `json:"columns"`
		Rows    [][]json.RawMessage `json:"rows"`
	}](ctx, a, "get_sheet", args)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, name := range sheet.Columns {
		at[name] = i
	}
	type order struct {
		name   string
		amount int
	}
	var pending []order
	sum, byRegion := 0, map[string]int{}
	for n, row := range sheet.Rows {
		var name, region, status string
		var amount int
		for into, cell := range map[any]string{&name: "order", &region: "region", &status: "status", &amount: "amount"} {
			if err := json.Unmarshal(row[at[cell]], into); err != nil {
				return nil, fmt.Errorf("row %d, %s: %w", n, cell, err)
			}
		}
		if status == "pending" {
			pending = append(pending, order{name, amount})
			sum += amount
			byRegion[region] += amount
		}
	}
	slices.SortStableFunc(pending, func(x, y order) int { return cmp.Compare(y.amount, x.amount) })
	largest := [][]any{}
	for _, o := range pending[:min(5, len(pending))] {
		largest = append(largest, []any{o.name, o.amount})
	}
	return map[string]any{"pending": len(pending), "sum": sum, "by_region": byRegion, "largest": largest}, nil
}

type issue struct {
	Number   int    `json:"number"`
	Title    string `json:"title"`
	Comments int    `json:"comments"`
}

func workflowScript(ctx context.Context, a *agent, p params) (any, error) {
	search := map[string]any{"repo": p.repo, "query": "timeout", "state": "open", "limit": p.limit}
	compare := map[string]any{"repo": p.repo, "base": "v1.4.0", "head": "v1.5.0"}
	if p.detail != "full" {
		search["detail"], compare["detail"] = "preview", "preview"
	}
	found, err := ask[struct{ Issues []issue }](ctx, a, "search_issues", search)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found.Issues, func(x, y issue) int {
		return cmp.Or(cmp.Compare(y.Comments, x.Comments), cmp.Compare(x.Number, y.Number))
	})
	if len(found.Issues) < 5 {
		return nil, fmt.Errorf("%s has only %d issues about timeouts", p.repo, len(found.Issues))
	}
	numbers := []int{}
	var calls []call
	for _, is := range found.Issues[:5] {
		numbers = append(numbers, is.Number)
		calls = append(calls, call{"get_issue", map[string]any{"repo": p.repo, "number": is.Number}})
	}
	results, err := a.turn(ctx, append(calls, call{"compare_commits", compare})...)
	if err != nil {
		return nil, err
	}
	changed, err := read[struct{ Files []struct{ Path string } }](results[5])
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, text := range results[:5] {
		for _, f := range changed.Files {
			if strings.Contains(text, f.Path) { // only body and comments have paths
				counts[f.Path]++
			}
		}
	}
	if len(counts) == 0 {
		return nil, errors.New("no issue names a changed file; the task is void")
	}
	var lines []string
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%s: %d", path, counts[path]))
	}
	made, err := ask[issue](ctx, a, "create_issue", map[string]any{"repo": p.repo, "title": "Timeouts and v1.5.0", "body": strings.Join(lines, "\n")})
	if err != nil {
		return nil, err
	}
	if _, err := ask[json.RawMessage](ctx, a, "add_comment", map[string]any{"repo": p.repo, "number": numbers[0], "body": fmt.Sprintf("See #%d.", made.Number)}); err != nil {
		return nil, err
	}
	return map[string]any{"issue": made.Number, "read": numbers, "files": counts}, nil
}

func pollScript(ctx context.Context, a *agent, p params) (any, error) {
	type deployment struct {
		ID       string `json:"id"`
		State    string `json:"state"`
		URL      string `json:"url"`
		LogLines int    `json:"log_lines"`
	}
	d, err := ask[deployment](ctx, a, "start_deployment", map[string]any{"repo": p.repo, "ref": "v1.5.0"})
	for err == nil && d.State == "running" {
		if err = a.pause(ctx, pollEvery); err != nil {
			break
		}
		args := map[string]any{"id": d.ID}
		if p.detail != "full" {
			args["detail"] = "preview"
		}
		d, err = ask[deployment](ctx, a, "get_deployment", args)
	}
	return map[string]any{"state": d.State, "url": d.URL, "log_lines": d.LogLines}, err
}

func documentScript(ctx context.Context, a *agent, p params) (any, error) {
	list, err := best(ctx, a, p)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no passage of domain %s among the best; the task is void", p.domain)
	}
	ids := []string{}
	for _, h := range firstThree(list) {
		ids = append(ids, h.ID)
	}
	title := "Docs: " + list[0].Title
	search := map[string]any{"repo": p.repo, "query": title, "state": "open"}
	if p.detail != "full" {
		search["detail"] = "preview"
	}
	found, err := ask[struct{ Issues []issue }](ctx, a, "search_issues", search)
	if err != nil {
		return nil, err
	}
	for _, is := range found.Issues {
		if is.Title == title {
			return map[string]any{"issue": is.Number, "passages": ids}, nil
		}
	}
	made, err := ask[issue](ctx, a, "create_issue", map[string]any{"repo": p.repo, "title": title, "labels": []string{"docs"}, "body": strings.Join(ids, "\n")})
	return map[string]any{"issue": made.Number, "passages": ids}, err
}
