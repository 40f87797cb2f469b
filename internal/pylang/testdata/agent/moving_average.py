prices = [10, 11, 13, 12, 15, 18, 17]
window = 3
ma = [round(sum(prices[i:i + window]) / window, 2) for i in range(len(prices) - window + 1)]
changes = [b - a for a, b in zip(prices, prices[1:])]
print(ma, changes, f"{sum(c > 0 for c in changes)} up, {sum(c < 0 for c in changes)} down")
