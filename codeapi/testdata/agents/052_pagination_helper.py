import math
from typing import Iterator


def paginate(items: list, per_page: int) -> Iterator[dict]:
    pages = math.ceil(len(items) / per_page)
    for page in range(1, pages + 1):
        start = (page - 1) * per_page
        yield {"page": page, "of": pages, "items": items[start:start + per_page]}


items = [f"item-{i:03d}" for i in range(1, 12)]
for page in paginate(items, 4):
    print(f"Page {page['page']}/{page['of']}: {', '.join(page['items'])}")

last = list(paginate(items, 4))[-1]
result = {"last_size": len(last["items"]), "empty": list(paginate([], 4))}
