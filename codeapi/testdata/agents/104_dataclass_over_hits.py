from dataclasses import dataclass, asdict
from typing import Optional
from bmcis_knowledge.search import hybrid_search


@dataclass
class Finding:
    title: str
    year: int
    score: float
    note: Optional[str] = None

    @classmethod
    def from_hit(cls, hit):
        return cls(title=hit.title, year=hit.metadata["year"], score=round(hit.score, 3))


findings = [Finding.from_hit(h) for h in hybrid_search("property tests random inputs seed", top_k=3)]
for f in findings:
    if f.year < 2022:
        f.note = "old"

__result__ = [asdict(f) for f in findings]
