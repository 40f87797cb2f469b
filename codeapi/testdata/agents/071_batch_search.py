from bmcis_knowledge.search import batch_search

topics = ["vacuum dead rows", "rotate secrets keys", "sourdough starter"]
answers = await batch_search(topics)

print(len(answers), "answers")
__result__ = {t: hits[0].title if hits else None for t, hits in zip(topics, answers)}
