# context: {"wanted": [3, -1, 100000, 1]}
from bmcis_knowledge import search

outcomes = []
for k in wanted:
    try:
        hits = search.hybrid_search("http", top_k=k)
    except Exception as e:
        print("top_k", k, "refused:", len(str(e)) > 0)
        outcomes.append(None)
    else:
        outcomes.append(len(hits))
    finally:
        print("tried", k)

result = outcomes
