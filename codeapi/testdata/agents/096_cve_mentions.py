import re
from bmcis_knowledge.search import bm25_search

cves = set()
where_found = {}
for h in bm25_search("CVE injection", top_k=10):
    for cve in re.findall(r"CVE-\d{4}-\d+", h.text):
        cves.add(cve)
        where_found.setdefault(cve, []).append(h.document_id)

by_year = {}
for c in sorted(cves):
    by_year.setdefault(c.split("-")[1], []).append(c)

__result__ = {"cves": sorted(cves), "by_year": by_year, "where": where_found}
