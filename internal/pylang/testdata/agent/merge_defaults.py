DEFAULTS = {"top_k": 10, "filters": None, "weights": {"bm25": 0.5, "vector": 0.5}}
def build(**overrides):
    cfg = {**DEFAULTS, **overrides}
    cfg["weights"] = {**DEFAULTS["weights"], **overrides.get("weights", {})}
    return cfg
print(build(top_k=3, weights={"bm25": 0.7}))
print(DEFAULTS["weights"])
