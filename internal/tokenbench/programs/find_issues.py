__result__ = [t["signature"] for t in search_tools("search, read, create and comment on issues, compare versions", "full", "tracker", 5)]
