package lexical

import "github.com/bmcis/bmcis/filter"

func sourceIs(s string) filter.Expr { return filter.Eq("source", s) }
