from servers.tracker import search_issues, get_issue, compare_commits, create_issue, add_comment
repo = $REPO
found = search_issues(repo, query="timeout", limit=$LIMIT)["issues"]
top = sorted(found, key=lambda i: (-i["comments"], i["number"]))[:5]
read = [get_issue(repo, i["number"]) for i in top]
texts = [" ".join([i["body"]] + [c["body"] for c in i["comments"]]) for i in read]
counts = {}
for f in compare_commits(repo, "v1.4.0", "v1.5.0")["files"]:
    n = len([t for t in texts if f["path"] in t])
    if n:
        counts[f["path"]] = n
new = create_issue(repo, "Timeouts and v1.5.0", body="\n".join([f"{p}: {counts[p]}" for p in sorted(counts)]))["number"]
add_comment(repo, top[0]["number"], f"See #{new}.")
__result__ = {"issue": new, "read": [i["number"] for i in top], "files": counts}
