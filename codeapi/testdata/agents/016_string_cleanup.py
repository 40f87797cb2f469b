raw_names = ["  john SMITH ", "MARY-ann o'neil", "josé garcía", "", "   ", "li\twei"]


def clean(name: str) -> str:
    return " ".join(part.capitalize() for part in name.strip().split())


cleaned = [c for c in map(clean, raw_names) if c]
initials = ["".join(p[0] for p in n.split()) for n in cleaned]
slugs = [n.lower().replace(" ", "-").replace("'", "") for n in cleaned]

for n, s in zip(cleaned, slugs):
    print(f"{n!r:<20} {s}")

result = {"cleaned": cleaned, "initials": initials, "longest": max(cleaned, key=len), "title": "hello world".title()}
