import textwrap

paragraph = ("Agents write programs that search, filter and summarise. The output must be short, "
             "since every line that is printed is a line that the model has to read again.")

print(textwrap.fill(paragraph, width=40))
print(textwrap.shorten(paragraph, width=50, placeholder="..."))
block = textwrap.dedent("""\
    first
      second
    third""")
print(textwrap.indent(block, "> "))
lines = textwrap.wrap(paragraph, 30)
__result__ = {"lines": len(lines), "longest": max(len(l) for l in lines)}
