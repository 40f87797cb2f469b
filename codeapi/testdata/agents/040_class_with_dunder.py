class Money:
    def __init__(self, amount, currency="EUR"):
        self.amount = amount
        self.currency = currency

    def __repr__(self):
        return f"Money({self.amount}, {self.currency!r})"

    def __str__(self):
        return f"{self.amount:.2f} {self.currency}"

    def __eq__(self, other):
        return (self.amount, self.currency) == (other.amount, other.currency)

    def __add__(self, other):
        if self.currency != other.currency:
            raise TypeError("different currencies")
        return Money(self.amount + other.amount, self.currency)

    def __lt__(self, other):
        return self.amount < other.amount


wallet = [Money(5), Money(2.5), Money(10)]
total = wallet[0] + wallet[1]
print(total)
print(wallet)
print(sorted(wallet)[0], Money(5) == wallet[0])
try:
    total + Money(1, "USD")
except TypeError as e:
    print("error:", e)
result = str(total)
