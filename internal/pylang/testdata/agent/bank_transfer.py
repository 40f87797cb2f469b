class InsufficientFunds(Exception):
    def __init__(self, need, have):
        self.need, self.have = need, have
        super().__init__(f"need {need}, have {have}")
accounts = {"a": 100, "b": 20}
def transfer(src, dst, amount):
    if accounts[src] < amount:
        raise InsufficientFunds(amount, accounts[src])
    accounts[src] -= amount
    accounts[dst] += amount
for args in [("a", "b", 30), ("b", "a", 500), ("x", "a", 1)]:
    try:
        transfer(*args)
    except InsufficientFunds as e:
        print("refused:", e, e.need - e.have)
    except KeyError as e:
        print("no account", e)
    else:
        print("ok", accounts)
