from bmcis_knowledge import search

top = search.hybrid_search("split vote candidates term", top_k=1)[0]
doc = search.get_document(top.document_id)
text = doc["text"]

print(doc.title, "-", doc["source"])
result = {
    "document": doc["document_id"],
    "words": len(text.split()),
    "numbers": [int(w) for w in text.split() if w.isdigit()],
    "contains_chunk": top.text in text,
}
