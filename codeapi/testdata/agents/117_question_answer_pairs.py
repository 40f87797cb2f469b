# context: {"questions": [{"id": 1, "q": "how long is the election timeout"}, {"id": 2, "q": "which hash for passwords"}, {"id": 3, "q": "xyzzy plugh"}]}
import re
from bmcis_knowledge import search


def best_sentence(text: str, question: str) -> str:
    """The sentence that shares most words with the question."""
    wanted = set(re.findall(r"[a-z]+", question.lower()))
    sentences = [s.strip() for s in text.split(". ") if s.strip()]
    return max(sentences, key=lambda s: len(wanted & set(re.findall(r"[a-z]+", s.lower()))))


answers = []
for item in questions:
    hits = search.hybrid_search(item["q"], top_k=1)
    if not hits:
        answers.append({"id": item["id"], "answer": None, "source": None})
        continue
    hit = hits[0]
    answers.append({"id": item["id"], "answer": best_sentence(hit.text, item["q"]), "source": hit.document_id})

unanswered = [a["id"] for a in answers if a["answer"] is None]
print("unanswered:", unanswered)
__result__ = answers
