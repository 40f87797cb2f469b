from urllib.parse import quote, quote_plus, unquote, urlencode
import string

params = {"q": "raft & paxos", "lang": "nø", "page": 2}
url = "https://example.org/search?" + urlencode(params)
print(url)
print(quote("a b/c"), quote_plus("a b/c"), quote("å/ö", safe=""), unquote("100%25%20sure"))

alphabet = string.ascii_lowercase
shifted = alphabet[3:] + alphabet[:3]
secret = "attack at dawn".translate(str.maketrans(alphabet, shifted))
letters = [c for c in "Hi, there! 42" if c in string.ascii_letters]
result = {"url": url, "secret": secret, "letters": "".join(letters), "punct": sum(c in string.punctuation for c in "a,b;c!")}
