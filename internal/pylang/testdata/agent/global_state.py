counter = 0
history = []
def bump(n=1):
    global counter
    counter += n
    history.append(counter)
    return counter
for i in range(3):
    bump(i)
print(counter, history)
