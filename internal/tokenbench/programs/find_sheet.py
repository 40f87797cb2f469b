__result__ = [t["signature"] + " " + t["description"] for t in search_tools("read rows of a spreadsheet", "full", "tracker", 1)]
