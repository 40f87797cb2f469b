queue = ["a"]
for item in queue:
    print(item)
    if len(queue) < 4:
        queue.append(item + "x")
print(queue)
nums = [1, 2, 3, 4, 5, 6]
nums[:] = [n for n in nums if n % 2]
print(nums)
