hits = [{"id": f"doc-{i}", "score": (i * 37 % 11) / 10, "title": f"Title {i}"} for i in range(12)]
top = sorted(hits, key=lambda h: (-h["score"], h["id"]))[:5]
for rank, h in enumerate(top, start=1):
    print(f"{rank}. {h['title']} ({h['score']:.2f}) [{h['id']}]")
print({"count": len(hits), "best": top[0]["id"]})
