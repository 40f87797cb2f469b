--- ann
code = '''
def filter_high_risk(vulns):
    """Filter vulnerabilities to high/critical only."""
    return [v for v in vulns if v['severity'] in LEVELS]

LEVELS = ['high', 'critical']
'''
k = save_skill(name="filter_high_risk", code=code, description="Filter vulnerabilities to high/critical only")
assert k.version == 1 and k.new_version and k.shared == "private" and k["import"] == "from skills import filter_high_risk", k
assert not save_skill("filter_high_risk", code).new_version
assert "def filter_high_risk" in load_skill("filter_high_risk")
assert [s.name for s in list_skills()] == ["filter_high_risk"]
--- ann
from skills import filter_high_risk
result = filter_high_risk([{"severity": "low"}, {"severity": "high"}])
assert result == [{"severity": "high"}]
assert skills.filter_high_risk([{"severity": "critical"}]) == [{"severity": "critical"}]
from skills.filter_high_risk import LEVELS
assert LEVELS == ["high", "critical"]
import skills as s
assert s.filter_high_risk([]) == []
--- ann
skill = load_skill("filter_high_risk")
exec(skill)  ### write from skills import filter_high_risk instead of exec
--- ann
exec(load_skill("filter_high_risk"))  ### from skills import filter_high_risk
--- ann
save_skill("top", "from skills import filter_high_risk\ndef top(vulns, n=1):\n    return filter_high_risk(vulns)[:n]", "The first of them")
--- ann
save_skill("top", "import statistics\nfrom skills import filter_high_risk\ndef top(vulns, n=1):\n    return filter_high_risk(vulns)[:n], statistics.mean([1, 3])", "The first of them")
from skills import top
assert top([{"severity": "high"}] * 3, n=2) == ([{"severity": "high"}] * 2, 2)
assert [s.version for s in list_skills("top")] == [2]
--- ann
save_skill("bad", "def f(:")  ### cannot be read
--- ann
save_skill("no name", "x = 1")  ### ValueError
--- ann
save_skill("loop", "from skills import loop\ndef f(): return 1", "loops")
from skills import loop  ### skill loop imports itself
--- ann
save_skill("sees", "def sees():\n    return me", "sees")
from skills import sees  ### name 'me' is not defined
--- ann
save_skill("fails", "def fails(x):\n    return 1 / x", "fails")
from skills import fails
y = 1
fails(0)  ### ZeroDivisionError
--- ann
from skills import nothing  ### ImportError: cannot import name 'nothing' from 'skills'
--- bob
assert list_skills() == []
try:
    from skills import filter_high_risk
except ImportError:
    result = "none"
load_skill("ann/filter_high_risk")  ### LookupError
--- ann
assert skills.share_skill("filter_high_risk", "bob") == ["bob"]
--- bob
from skills import filter_high_risk
assert len(filter_high_risk([{"severity": "high"}])) == 1
assert [(s.owner, s.shared) for s in list_skills()] == [("ann", "named")]
skills.revoke_skill("filter_high_risk")  ### LookupError
--- ann
skills.unshare_skill("filter_high_risk", ["bob"])
assert skills.revoke_skill("top") == 2
load_skill("top")  ### revoked
--- bob
load_skill("filter_high_risk")  ### not found
