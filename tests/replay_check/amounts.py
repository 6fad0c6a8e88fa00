"""Numbers and amounts as the workload, the tree and the log write them."""
import re
from decimal import Decimal

from .fault import need

UNLIMITED = 1 << 63
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")


def units(text, scale, up):
    """Decimal text as a whole count of 10^-scale, rounded as the contract says."""
    text = text.strip(" \t")
    if text.isdigit():
        return int(text) * 10 ** scale
    need(NUMBER.match(text), "not a number: %r", text)
    sign, digits, exponent = Decimal(text).as_tuple()
    whole = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    exponent += scale
    if exponent >= 0:
        return whole * 10 ** exponent
    quotient, rest = divmod(whole, 10 ** -exponent)
    return quotient + (rest > 0 if up else 2 * rest >= 10 ** -exponent)


SUFFIX = {"": 1, "k": 10 ** 3, "M": 10 ** 6, "G": 10 ** 9, "T": 10 ** 12,
          "P": 10 ** 15, "Ki": 2 ** 10, "Mi": 2 ** 20, "Gi": 2 ** 30,
          "Ti": 2 ** 40, "Pi": 2 ** 50}
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(m|[kMGTP]i?)?B?$")


def amount(text, unit):
    """An amount as text ("48", "1500m", "187GiB") in the kind's small unit."""
    found = AMOUNT.match(text.strip())
    need(found, "not an amount: %r", text)
    number, suffix = found.group(1), found.group(2) or ""
    if suffix == "m":
        return units(number, 0, True)
    scale = 1000 if unit == "m" else 1
    exact = Decimal(number) * SUFFIX[suffix] * scale
    whole = int(exact)
    return whole + (exact > whole)


def vector(text, kinds):
    """"cpu=48,memory=187GiB" over [(name, unit)]."""
    out = [0] * len(kinds)
    for part in text.replace(";", ",").split(","):
        if part.strip():
            name, value = part.split("=", 1)
            at = [k for k, _ in kinds].index(name.strip())
            out[at] = amount(value, kinds[at][1])
    return tuple(out)
