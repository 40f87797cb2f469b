class ConfigError(Exception):
    def __init__(self, key, reason):
        super().__init__(f"{key}: {reason}")
        self.key = key
def load(cfg):
    try:
        return int(cfg["port"])
    except KeyError as e:
        raise ConfigError("port", "missing") from e
    except ValueError as e:
        raise ConfigError("port", str(e)) from None
for cfg in ({"port": "80"}, {}, {"port": "http"}):
    try:
        print(load(cfg))
    except ConfigError as e:
        print("ConfigError:", e, "| key =", e.key, "| cause =", repr(e.__cause__))
