import logging, sys
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stdout)
log = logging.getLogger("app")
log.info("hi %s", 3); log.debug("no"); log.warning("w"); log.error("e %d %s", 1, "z")
logging.info("root")
try: 1/0
except Exception: log.exception("bad") if False else log.error("bad", exc_info=False)
log.setLevel(logging.DEBUG); log.debug("yes")
print(log.level, logging.getLevelName(20), log.isEnabledFor(10), log.name)
