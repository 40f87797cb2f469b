class BankError(Exception):
    code = 1
    def __str__(self):
        return f"[{self.code}] " + super().__str__()

class Overdrawn(BankError):
    code = 2
    def __init__(self, need, have):
        super().__init__(f"need {need}, have {have}")
        self.need, self.have = need, have

class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance

    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, value):
        if value < 0:
            raise Overdrawn(self._balance - value, self._balance)
        self._balance = value

    def __enter__(self):
        self._saved = self._balance
        return self

    def __exit__(self, exc_type, exc, tb):
        if exc_type is not None and issubclass(exc_type, BankError):
            print("rollback because", exc)
            self._balance = self._saved
            return True
        return False

acc = Account("eve", 100)
with acc as a:
    a.balance -= 30
    a.balance -= 90
print(acc.balance)
with acc:
    acc.balance += 1
print(acc.balance)
def risky(n):
    try:
        if n == 0:
            return "zero"
        if n == 1:
            raise KeyError("k")
        return 10 / (n - 2)
    except KeyError as e:
        raise BankError("wrapped") from e
    except ZeroDivisionError:
        return "inf"
    else:
        return "never"
    finally:
        print("finally", n)
for n in range(4):
    try:
        print(risky(n))
    except BankError as e:
        print(e, "<-", repr(e.__cause__))
try:
    with acc:
        raise LookupError("other")
except LookupError as e:
    print("passed through:", e)
try:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise ValueError("while handling") 
except ValueError as e:
    print(e, "|", type(e.__context__).__name__, e.__cause__)
