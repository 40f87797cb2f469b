from typing import NamedTuple
class Entry(NamedTuple):
    account: str
    amount: float
    memo: str = ""
entries = [Entry("cash", 100.0, "open"), Entry("rent", -40.0), Entry("cash", -15.5, "food")]
balance = {}
for acct, amt, _ in entries:
    balance[acct] = balance.get(acct, 0) + amt
print(balance, entries[1], entries[0]._replace(amount=1), [e.memo or "-" for e in entries])
