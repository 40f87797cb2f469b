import re
from bmcis_knowledge.search import hybrid_search

FENCE = "```"
pattern = re.compile(FENCE + r"(\w+)\n(.*?)" + FENCE, re.DOTALL)

blocks = []
for hit in hybrid_search("autovacuum scale factor index concurrently delay cap", top_k=6):
    for lang, code in pattern.findall(hit.text):
        blocks.append({"title": hit.title, "lang": lang, "code": code.strip()})

blocks.sort(key=lambda b: (b["lang"], b["title"]))
for b in blocks:
    print(f"--- {b['lang']} ({b['title']})")
    print(b["code"])
__result__ = len(blocks)
