import time
from servers.tracker import start_deployment, get_deployment
d = start_deployment($REPO, "v1.5.0")
while d["state"] == "running":
    time.sleep(0.2)
    d = get_deployment(d["id"])
__result__ = {"state": d["state"], "url": d["url"], "log_lines": d["log_lines"]}
