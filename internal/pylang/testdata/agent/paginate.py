def paginate(items, size):
    for start in range(0, len(items), size):
        yield items[start:start + size]
pages = list(paginate(list(range(1, 11)), 4))
print(pages, len(pages))
for n, page in enumerate(pages, 1):
    print(f"Page {n}: {', '.join(map(str, page))}")
