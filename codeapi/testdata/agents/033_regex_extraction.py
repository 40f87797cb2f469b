import re

text = """
Contact: anna.berg@example.org or support+eu@example.co.uk. Call +47 555 01 234.
Versions: v1.2.3, v2.0.0-rc1 and 10.4.17. See https://example.org/docs?id=7#top
and http://test.example.com/a/b. Deadline 2024-11-05, kickoff 2023-01-31.
"""

emails = re.findall(r"[\w.+-]+@\w+(?:\.\w+)+", text)
versions = re.findall(r"\bv?(\d+)\.(\d+)\.(\d+)", text)
urls = re.findall(r"https?://[^\s#?]+", text)
dates = [m.group(0) for m in re.finditer(r"\d{4}-\d{2}-\d{2}", text)]
years = sorted({int(d[:4]) for d in dates})
masked = re.sub(r"(\w)[\w.+-]*@", r"\1***@", emails[0])
swapped = re.sub(r"(\d{4})-(\d{2})-(\d{2})", lambda m: f"{m.group(3)}.{m.group(2)}.{m.group(1)}", dates[0])

print(emails, urls)
__result__ = {"emails": emails, "versions": versions, "years": years, "masked": masked, "swapped": swapped}
