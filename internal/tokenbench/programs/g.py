from servers.tracker import search_issues, create_issue
q, repo = $QUESTION, $REPO
hits = search.union(search.bm25_search(q, top_k=$LEG), search.vector_search(q, top_k=$LEG))
best = filter.filter_by_domain(reranker.rerank(q, hits, top_k=20, weight=1), $DOMAIN)
ids, title = [h.id for h in best[:3]], "Docs: " + best[0].title
same = [i for i in search_issues(repo, query=title)["issues"] if i["title"] == title]
issue = same[0] if same else create_issue(repo, title, body="\n".join(ids), labels=["docs"])
__result__ = {"issue": issue["number"], "passages": ids}
