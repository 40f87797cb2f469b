__result__ = [t["signature"] for t in search_tools("search issues, create an issue", "full", "tracker", 2)]
