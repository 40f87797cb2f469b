import asyncio
from src.code_api.search import HybridSearchAPI
from src.code_api.reranking import RerankerAPI


class Researcher:
    """Collects evidence for several questions."""

    def __init__(self, per_question: int = 2):
        self.search = HybridSearchAPI()
        self.reranker = RerankerAPI()
        self.per_question = per_question
        self.evidence = {}

    async def ask(self, question: str):
        hits = await self.search.hybrid_search(question, top_k=10)
        best = await self.reranker.rerank(question, hits, top_k=self.per_question)
        self.evidence[question] = [b.title for b in best]
        return len(hits)

    def report(self) -> str:
        lines = []
        for q, titles in self.evidence.items():
            lines.append(f"## {q}")
            lines.extend(f"- {t}" for t in titles)
        return "\n".join(lines)


async def main():
    r = Researcher()
    counts = [await r.ask(q) for q in ("how to store passwords with a salt", "what makes a good unit test and its name")]
    print(counts)
    return r.report()


__result__ = asyncio.run(main())
