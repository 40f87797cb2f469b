package chunk

import "strings"

// plainBlocks finds paragraphs, and with rst also headings: a line underlined by a
// line of one repeated punctuation mark at least as long. Levels follow the order in
// which the marks first appear, as in reStructuredText.
func plainBlocks(s string, rst bool) []Block {
	var blocks []Block
	var marks []byte
	blank := true
	for start := 0; start < len(s); {
		end := lineEnd(s, start)
		line := strings.TrimRight(s[start:end], " \t\n")
		switch {
		case strings.TrimSpace(line) == "":
			blank = true
		case rst && isUnderlined(line, s[end:]):
			mark := s[end]
			level := strings.IndexByte(string(marks), mark)
			if level < 0 {
				level = len(marks)
				marks = append(marks, mark)
			}
			blocks = append(blocks, Block{Kind: Heading, Start: start, Level: min(level+1, 6), Title: cutBytes(oneLine(line), maxHeading)})
			end = lineEnd(s, end)
			blank = true
		case blank:
			blocks = append(blocks, Block{Kind: Paragraph, Start: start})
			blank = false
		}
		start = end
	}
	return cover(blocks, len(s))
}

func isUnderlined(line, rest string) bool {
	if line[0] == ' ' || len(rest) == 0 || !strings.ContainsRune("=-~^\"'`#*+.:_<>", rune(rest[0])) {
		return false
	}
	under := strings.TrimRight(rest[:lineEnd(rest, 0)], " \t\n")
	return len(under) >= 3 && len(under) >= len([]rune(line)) && strings.Count(under, under[:1]) == len(under)
}

// lineEnd is where the next line begins.
func lineEnd(s string, start int) int {
	if i := strings.IndexByte(s[start:], '\n'); i >= 0 {
		return start + i + 1
	}
	return len(s)
}
