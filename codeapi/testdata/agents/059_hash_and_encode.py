import base64
import hashlib
import json

doc = {"b": [1, 2, 3], "a": "ünï"}
canonical = json.dumps(doc, sort_keys=True)
digest = hashlib.sha256(canonical.encode("utf-8")).hexdigest()
token = base64.b64encode(canonical.encode()).decode("ascii")
back = json.loads(base64.b64decode(token).decode("utf-8"))

print(canonical)
print(digest[:16])
assert back == doc, "round trip failed"
result = {"token": token, "md5": hashlib.md5(b"abc").hexdigest(), "bytes": len("ünï".encode("utf-8"))}
