from abc import ABC, abstractmethod
class Plugin(ABC):
    registry = []
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Plugin.registry.append(cls.__name__)
    @abstractmethod
    def run(self, x): ...
class Upper(Plugin):
    def run(self, x):
        return x.upper()
class Twice(Plugin):
    def run(self, x):
        return x * 2
print(Plugin.registry, [p().run("ab") for p in (Upper, Twice)])
