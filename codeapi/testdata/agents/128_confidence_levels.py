# context: {"user_question": "how do I rotate secrets", "user_id": 42}
from typing import List, Dict, Any
from src.code_api.search import HybridSearchAPI


def classify(score: float) -> str:
    if score >= 0.5:
        return "high"
    elif score >= 0.2:
        return "medium"
    return "low"


async def run() -> Dict[str, Any]:
    api = HybridSearchAPI()
    results = await api.hybrid_search(user_question, top_k=6)
    levels: Dict[str, List[str]] = {"high": [], "medium": [], "low": []}
    for r in results:
        levels[classify(r.score)].append(r.title)
    print(f"user {user_id}: {', '.join(f'{k}={len(v)}' for k, v in levels.items())}")
    return {k: v for k, v in levels.items() if v}


__result__ = await run()
