import re
from bmcis_knowledge import search


def highlight(text: str, terms: list[str], width: int = 30) -> str:
    """Cut a window around the first term and mark all terms in it."""
    lowered = text.lower()
    positions = [p for p in (lowered.find(t) for t in terms) if p >= 0]
    start = max(0, min(positions) - width) if positions else 0
    window = text[start:start + 3 * width]
    pattern = re.compile("|".join(re.escape(t) for t in terms), re.IGNORECASE)
    marked = pattern.sub(lambda m: f"**{m.group(0)}**", window)
    return ("…" if start else "") + marked + ("…" if start + 3 * width < len(text) else "")


terms = ["bloom", "compaction"]
for h in search.bm25_search(" ".join(terms), top_k=2):
    print(f"{h.title}: {highlight(h.text, terms)}")
