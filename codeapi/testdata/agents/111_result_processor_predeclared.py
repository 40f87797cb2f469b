results = search.hybrid_search("backup restore drill", top_k=3)
processor = ResultProcessor()
short = processor.summarize(results, max_content_length=60, fields=["source", "document_id"])

for s in short:
    print(s["id"], s["title"], s["source"], s["document_id"])
__result__ = {"n": len(short), "short": all(len(s["preview"]) <= 70 for s in short), "start": short[0]["preview"][:20]}
