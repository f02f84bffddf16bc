#!/usr/bin/env python3
"""The valuation once more, from its description and with fractions: makes valuation_cases.json.

    python3 tests/services/valuation_reference.py > tests/services/valuation_cases.json

valuation_test.cc compares the program with the file. Prices are made to land on every boundary:
4 and 5 prices, ties at the fences, shares of exactly 0.8 and 0.5, spreads of exactly 0.2.
"""
import json
import random
from fractions import Fraction
from math import floor

PERCENTILES = (10, 20, 40, 50, 60, 80, 90)


def half_even(number: Fraction) -> int:
    return round(number)  # Python rounds halves to even


def value(points: list[dict], flags: int) -> dict:
    counts: dict[str, int] = {}
    for point in points:
        counts[point["currency"]] = counts.get(point["currency"], 0) + 1
    currency = min(counts, key=lambda name: (-counts[name], name)) if counts else None
    kept = sorted((p for p in points if p["currency"] == currency), key=lambda p: p["price_cents"])
    outliers = 0
    n = len(kept)
    if n >= 4:
        q1, q3 = kept[n // 4]["price_cents"], kept[3 * n // 4]["price_cents"]
        iqr = q3 - q1
        low, high = q1 - Fraction(3, 2) * iqr, q3 + Fraction(3, 2) * iqr
        inside = [p for p in kept if low <= p["price_cents"] <= high]
        outliers, kept = n - len(inside), inside
    n = len(kept)
    if n == 0:
        return {"currency": currency, "comparables": 0, "outliers": outliers, "confidence": 1,
                "mean_cents": None, **{f"p{p}": None for p in PERCENTILES}}
    prices = [p["price_cents"] for p in kept]
    at = {p: prices[floor(Fraction(p, 100) * (n - 1))] for p in PERCENTILES}
    score = 3 if n >= 20 else 2 if n >= 10 else 1 if n >= 5 else 0
    match = [Fraction(p["match_strength"]) for p in kept]
    score += floor(2 * sum(match) / n)
    if sum(match) > 0:
        score += floor(sum(m * Fraction(p["reputation_weight"]) for m, p in zip(match, kept))
                       / sum(match))
    sold = sum(p["price_type"] == "sold" for p in kept)
    share = Fraction(sold, n)
    score += 2 if share >= Fraction(4, 5) else 1 if share >= Fraction(1, 2) else 0
    if at[50] > 0:
        spread = Fraction(at[90] - at[10], at[50])
        score += (3 if spread < Fraction(1, 5) else 2 if spread < Fraction(2, 5)
                  else 1 if spread < Fraction(3, 5) else 0)
    score -= min(flags, 3)
    if sold == 0:
        score = min(score, 7)
    return {"currency": currency, "comparables": n, "outliers": outliers,
            "confidence": max(1, min(10, score)), "mean_cents": half_even(Fraction(sum(prices), n)),
            **{f"p{p}": at[p] for p in PERCENTILES}}


def point(dice: random.Random, prices: list[int], currencies: str) -> dict:
    return {"price_cents": dice.choice(prices), "currency": dice.choice(currencies.split()),
            "price_type": dice.choice(["sold", "sold", "sold", "ask", "bid"]),
            "match_strength": dice.choice(["1.00000", "1.00000", "0.75000", "0.50000", "0.33333",
                                           "0.66667", "0.00000"]),
            "reputation_weight": dice.choice(["1", "1.000", "0.5", "0.9", "0.123456", "0"])}


def cases() -> list[dict]:
    dice = random.Random(20260304)
    out = []
    for number in range(200):
        spread = dice.choice([0, 1, 10, 100, 1000, 100000])
        prices = [1000 + dice.randint(0, spread) for _ in range(12)] + [dice.choice([0, 9**9])]
        size = dice.choice([0, 1, 2, 3, 4, 5, 9, 10, 19, 20, 25])
        points = [point(dice, prices, dice.choice(["USD", "USD", "EUR USD"]))
                  for _ in range(size)]
        if dice.random() < 0.3:  # confident ones, near and at the top
            for one in points:
                one.update(price_type="sold", match_strength="1.00000", reputation_weight="1",
                           currency="USD")
        out.append({"flags": dice.randint(0, 5), "points": points})
    for case in out:
        case["expected"] = value(case["points"], case["flags"])
        case["points"] = [list(one.values()) for one in case["points"]]  # in point()'s order
    return out


def main() -> None:
    print("[")
    print(",\n".join(json.dumps(case, separators=(",", ":")) for case in cases()))
    print("]")


main()
