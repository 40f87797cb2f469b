env, file_cfg, defaults = {"port": "9000"}, {"port": 8000, "debug": True}, {"port": 80, "debug": False, "host": "localhost"}
def setting(name, cast=str):
    for source in (env, file_cfg, defaults):
        if name in source:
            return cast(source[name])
    raise KeyError(name)
print(setting("port", int), setting("debug", bool), setting("host"))
try:
    setting("user")
except KeyError as e:
    print("missing", e)
