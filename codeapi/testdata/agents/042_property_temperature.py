class Temperature:
    """Celsius inside, Fahrenheit on demand."""

    def __init__(self, celsius: float):
        self._celsius = celsius

    @property
    def fahrenheit(self) -> float:
        return self._celsius * 9 / 5 + 32

    @classmethod
    def from_fahrenheit(cls, f: float) -> "Temperature":
        return cls((f - 32) * 5 / 9)

    @staticmethod
    def is_valid(celsius: float) -> bool:
        return celsius >= -273.15


temps = [Temperature(c) for c in (-40, 0, 37, 100)]
print([t.fahrenheit for t in temps])
body = Temperature.from_fahrenheit(98.6)
result = {"body": round(body._celsius, 2), "valid": [Temperature.is_valid(x) for x in (-300, 20)]}
