from bmcis_knowledge import search

tree = {}
for h in search.hybrid_search("resilience retry timeout storage transactions raft", top_k=25):
    node = tree
    for part in h.headings:
        node = node.setdefault(part, {})
    node.setdefault("_titles", [])
    if h.title not in node["_titles"]:
        node["_titles"].append(h.title)


def show(node, depth=0):
    for key in sorted(k for k in node if k != "_titles"):
        print("  " * depth + "- " + key)
        for t in sorted(node[key].get("_titles", [])):
            print("  " * (depth + 1) + "* " + t)
        show(node[key], depth + 1)


show(tree)
result = sorted(tree)
