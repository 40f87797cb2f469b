import statistics

latencies = [12, 15, 11, 14, 200, 13, 12, 16, 15, 12]

report = {
    "mean": statistics.mean(latencies),
    "median": statistics.median(latencies),
    "mode": statistics.mode(latencies),
    "stdev": round(statistics.stdev(latencies), 3),
    "pstdev": round(statistics.pstdev(latencies), 3),
}
outliers = [x for x in latencies if abs(x - report["mean"]) > 2 * report["stdev"]]

for key, value in report.items():
    print(f"{key:>8}: {value:8.3f}")

result = {**report, "outliers": outliers}
