"""Score essays and print a ranking."""
from typing import NamedTuple


class Essay(NamedTuple):
    author: str
    words: int
    mistakes: int

    def grade(self) -> float:
        return max(0.0, 10 - 100 * self.mistakes / self.words)


def main() -> None:
    essays = [Essay("Li", 500, 3), Essay("Mo", 420, 11), Essay("Al", 610, 3)]
    ranking = sorted(essays, key=Essay.grade, reverse=True)
    for place, essay in enumerate(ranking, 1):
        print(f"{place}. {essay.author:<5}{essay.grade():5.2f}")


if __name__ == "__main__":
    main()
