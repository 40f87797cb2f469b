__result__ = [t["signature"] for t in search_tools("start a deployment and look at it", "full", "tracker", 2)]
