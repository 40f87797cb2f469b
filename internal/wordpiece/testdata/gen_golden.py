#!/usr/bin/env python3
"""Writes golden.jsonl: texts of our own with the reference's token ids.

    pip install tokenizers==0.23.3
    python3 gen_golden.py ../../../models/reranker/tokenizer.json > golden.jsonl

Special tokens spelled out in a text are left out: there we differ on purpose.
"""
import json
import random
import sys

from tokenizers import Tokenizer

TEXTS = """
The quick brown fox jumps over the lazy dog.
How do I sort a slice of structs by two fields in Go?
func (e *Engine) Search(ctx context.Context, r Request) (*Results, error)
SELECT id, title FROM documents WHERE metadata->>'domain' = 'db' ORDER BY id LIMIT 10;
ERR_CONNECTION_REFUSED (0x80070005) at 10.0.0.1:5432, retrying in 250ms...
café naïve résumé Zürich Ångström façade jalapeño São Paulo
ÀÉÎÕÜ àéîõü ÇŞĞİ çşği ẞ ß ŒŒ œ Æ æ Ø ø Ł ł Đ đ
Ελληνικά κείμενο ΣΊΣΥΦΟΣ με τόνους και τελικό σίγμα
Съешь же ещё этих мягких французских булок, да выпей чаю
שלום עולם, זה טקסט עִבְרִי עם ניקוד
مرحبا بالعالم، هذا نَصٌّ عَرَبِيٌّ مع تشكيل
नमस्ते दुनिया, यह हिन्दी में लिखा गया पाठ है।
ภาษาไทยไม่มีการเว้นวรรคระหว่างคำ
中文没有空格，所以每个字都是一个词。
日本語の文章には、ひらがなとカタカナと漢字が混ざっています。
한국어 문장은 자모로 분해됩니다. 안녕하세요!
Tiếng Việt có rất nhiều dấu thanh điệu.
emoji 😀 👩‍👩‍👧‍👦 🇫🇷 ✈️ 🏳️‍🌈 and text mixed👍together
“curly quotes” ‘single’ — em dash – en dash … ellipsis • bullet
1,234.56 €99 £5 ¥700 ₿0.5 50% 3½ x² H₂O №7 ™ © ®
a--b___c==d!=e<=f>=g&&h||i??j::k->l=>m
C:\\Users\\name\\file.txt /usr/local/bin ~/x.go https://example.com/a?b=c&d=e#f
camelCaseIdentifier snake_case_identifier SCREAMING_SNAKE kebab-case-name
don't won't I'm you're it's o'clock rock'n'roll
U.S.A. e.g. i.e. Ph.D. 3.14.159 v1.2.3-rc.4+build.5
supercalifragilisticexpialidocious antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis
zero\u200bwidth soft\u00adhyphen bom\ufeffhere word\u2060joiner
tab\there newline\nthere return\rhere vertical\x0btab form\x0cfeed nel\u0085here
nul\x00inside bell\x07 escape\x1b[31mred\x1b[0m delete\x7f
no\u00a0break thin\u2009space ideographic\u3000space line\u2028separator
combining e\u0301 a\u030a o\u0308 n\u0303 z\u0351\u0352\u0353\u0354algo
fullwidth ＡＢＣ１２３，．！ ligatures ﬁ ﬂ ﬀ roman Ⅳ ⅷ circled ① ⑳
private \ue000 \uf8ff replacement \ufffd specials \ufff9\ufffa\ufffb
math ∑∫√∞≠≤≥±×÷∂∆∏ 𝐛𝐨𝐥𝐝 𝒮𝒸𝓇𝒾𝓅𝓉 ℝ ℕ
kelvin K angstrom Å ohm Ω micro µ long ſ dotless ı dotted İ
new marks \u07fd\u08ca\u1abf end \u061d \u2e52 \u16fe2
hangul jamo \u1100\u1161\u11a8 and \uac01\ud7a3
""".strip("\n").split("\n")


def main():
    tok = Tokenizer.from_file(sys.argv[1])
    tok.no_truncation()
    tok.no_padding()
    rng = random.Random(7)
    texts = ["", " ", "\n\t \r\n", ".", "a", "[", "##", "##ing", "a" * 100, "a" * 101, "é" * 100, "é" * 101, "x" * 1000]
    texts += TEXTS
    texts += [chr(c) + "a" + chr(c) + " b" + chr(c) for c in range(1, 0x250)]
    words = " ".join(TEXTS).split()
    for _ in range(700):  # words of all scripts, glued and spaced at random
        texts.append("".join(rng.choice(words) + rng.choice(["", " ", " ", ", ", "-"]) for _ in range(rng.randint(2, 12))))
    for _ in range(700):  # characters of the basic plane, mostly rare
        texts.append("".join(chr(rng.choice([rng.randint(0x20, 0x7E), rng.randint(0xA0, 0x2FFF), rng.randint(0x3000, 0xD7FF)]))
                             for _ in range(rng.randint(1, 30))))
    for t in texts:
        print(json.dumps({"text": t, "ids": tok.encode(t).ids}, separators=(",", ":")))


main()
