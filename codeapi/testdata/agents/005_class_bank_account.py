class InsufficientFunds(Exception):
    pass


class Account:
    """A very small bank account."""

    def __init__(self, owner: str, balance: float = 0.0):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(f"{self.owner} has only {self.balance:.2f}")
        self.balance -= amount
        self.history.append(("withdraw", amount))


acc = Account("Ada", 100)
acc.deposit(50)
errors = []
for amount in (30, 500, 20):
    try:
        acc.withdraw(amount)
    except InsufficientFunds as e:
        errors.append(str(e))
try:
    acc.deposit(-1)
except ValueError as e:
    errors.append(f"ValueError: {e}")

print(acc.owner, acc.balance, len(acc.history))
result = {"balance": acc.balance, "errors": errors, "history": acc.history}
