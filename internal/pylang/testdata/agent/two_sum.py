def two_sum(nums, target):
    seen = {}
    for i, n in enumerate(nums):
        if target - n in seen:
            return seen[target - n], i
        seen[n] = i
print(two_sum([2, 7, 11, 15], 9), two_sum([3, 2, 4], 6), two_sum([1], 5))
