query = """
    SELECT *
    FROM t
    WHERE id = {id}
""".strip()
print(query.format(id=5))
print('''a "b" 'c' ''' + r"\n raw" + "\ttab" "joined")
sql = (
    "select a, b "
    "from t "
    f"limit {2 + 3}"
)
print(sql)
