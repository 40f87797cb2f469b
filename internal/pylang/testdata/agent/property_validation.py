class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
    @property
    def balance(self):
        return self._balance
    @balance.setter
    def balance(self, v):
        if v < 0:
            raise ValueError("balance cannot be negative")
        self._balance = v
    @classmethod
    def from_dict(cls, d):
        return cls(**d)
    @staticmethod
    def fee(amount):
        return round(amount * 0.015, 2)
a = Account.from_dict({"owner": "Ann", "balance": 100})
a.balance -= 30
print(a.balance, Account.fee(99.99))
try:
    a.balance = -1
except ValueError as e:
    print("Error:", e)
try:
    Account.from_dict({"name": "x"})
except TypeError as e:
    print("TypeError:", e)
