import textwrap, string, base64, hashlib
msg = "The system uses a hybrid retrieval approach: lexical BM25 scores are fused with dense vectors, then a cross-encoder reranks the best candidates."
print(textwrap.fill(msg, width=40, initial_indent="* ", subsequent_indent="  "))
print(textwrap.shorten(msg, width=50, placeholder="..."), textwrap.dedent("""
    a
      b
    """).strip().splitlines())
print(textwrap.indent("x\ny", "> "))
print(base64.b64encode(b"hello world").decode(), base64.urlsafe_b64decode("aGk_").hex(), hashlib.sha256("abc".encode()).hexdigest()[:16], hashlib.md5(b"x").hexdigest())
print(string.ascii_lowercase[:5], string.digits, string.punctuation[:4], string.Template("$who owes ${amt}").substitute(who="Al", amt=5), string.capwords("hello big world"))
table = str.maketrans("", "", string.punctuation)
result = msg.translate(table).lower().split()[:5]
