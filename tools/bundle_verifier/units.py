"""Units: what each measures, and how large it is. The table of docs/formats.md."""
from fractions import Fraction

# A dimension is a product of powers of base units: volt, ampere and second for everything electric.
Dimension = tuple[tuple[str, int], ...]


def _dimension(**powers: int) -> Dimension:
    return tuple(sorted((base, power) for base, power in powers.items() if power != 0))


_MASS = _dimension(g=1)
_ENERGY = _dimension(V=1, A=1, s=1)
_EMISSION = _dimension(gCO2e=1)
_INTENSITY = _dimension(gCO2e=1, V=-1, A=-1, s=-1)
_CHARGE = _dimension(A=1, s=1)
_POWER = _dimension(V=1, A=1)
_RESISTANCE = _dimension(V=1, A=-1)

UNITS: dict[str, tuple[Dimension, Fraction]] = {
    "kg": (_MASS, Fraction(1000)), "g": (_MASS, Fraction(1)), "t": (_MASS, Fraction(1_000_000)),
    "kWh": (_ENERGY, Fraction(3_600_000)), "Wh": (_ENERGY, Fraction(3600)),
    "MWh": (_ENERGY, Fraction(3_600_000_000)),
    "gCO2e": (_EMISSION, Fraction(1)), "kgCO2e": (_EMISSION, Fraction(1000)),
    "tCO2e": (_EMISSION, Fraction(1_000_000)),
    "gCO2e_per_kWh": (_INTENSITY, Fraction(1, 3_600_000)),
    "kgCO2e_per_kWh": (_INTENSITY, Fraction(1, 3600)),
    "Ah": (_CHARGE, Fraction(3600)), "mAh": (_CHARGE, Fraction(18, 5)),
    "A": (_dimension(A=1), Fraction(1)), "mA": (_dimension(A=1), Fraction(1, 1000)),
    "V": (_dimension(V=1), Fraction(1)), "mV": (_dimension(V=1), Fraction(1, 1000)),
    "W": (_POWER, Fraction(1)), "kW": (_POWER, Fraction(1000)),
    "ohm": (_RESISTANCE, Fraction(1)), "mohm": (_RESISTANCE, Fraction(1, 1000)),
    "degC": (_dimension(degC=1), Fraction(1)), "pct": (_dimension(pct=1), Fraction(1)),
    "each": (_dimension(each=1), Fraction(1)),
    "s": (_dimension(s=1), Fraction(1)), "min": (_dimension(s=1), Fraction(60)),
    "h": (_dimension(s=1), Fraction(3600)), "day": (_dimension(s=1), Fraction(86_400)),
    "month": (_dimension(month=1), Fraction(1)), "year": (_dimension(month=1), Fraction(12)),
    "cycle": (_dimension(cycle=1), Fraction(1)),
}

# UN/CEFACT Recommendation 20.
UNIT_CODES = {
    "KGM": "kg", "GRM": "g", "TNE": "t", "KWH": "kWh", "WHR": "Wh", "MWH": "MWh", "AMH": "Ah",
    "E09": "mAh", "AMP": "A", "4K": "mA", "VLT": "V", "2Z": "mV", "WTT": "W", "KWT": "kW",
    "OHM": "ohm", "E45": "mohm", "CEL": "degC", "P1": "pct", "C62": "each", "H87": "each",
    "SEC": "s", "MIN": "min", "HUR": "h", "DAY": "day", "MON": "month", "ANN": "year",
}


def same_dimension(a: str, b: str) -> bool:
    return UNITS[a][0] == UNITS[b][0]


def factor(a: str, b: str) -> Fraction:
    """How many b one a is. Precondition: one dimension."""
    return UNITS[a][1] / UNITS[b][1]


def _named(a: str, b: str, sign: int) -> str | None:
    powers = dict(UNITS[a][0])
    for base, power in UNITS[b][0]:
        powers[base] = powers.get(base, 0) + sign * power
    wanted = (_dimension(**powers), UNITS[a][1] * UNITS[b][1] ** sign)
    return next((name for name, unit in UNITS.items() if unit == wanted), None)


def product_unit(a: str, b: str) -> str | None:
    """The unit of the table whose size is exactly that of a * b."""
    return _named(a, b, 1)


def quotient_unit(a: str, b: str) -> str | None:
    return _named(a, b, -1)
