"""What kind of integer a number token is, by its digits alone.

1e999999999 must not be built, and neither may a number of a million digits be: only strings are
compared until the value is known to be small.
"""

from __future__ import annotations

from typing import NamedTuple

MAX_SAFE = 2**53
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1

# No frame is long enough to hold a mantissa that such an exponent would leave in reach.
_EXPONENT_DIGITS = 12
_BIG_DIGITS = 20


class Integrality(NamedTuple):
    """`value` is None where the token is not integral, or where its size exceeds 20 digits."""

    integral: bool
    plain: bool  # written without point and exponent, and not as -0
    negative: bool
    value: int | None

    def outside(self, low: int, high: int) -> bool:
        """Integral, and below low or above high (both of fewer than 20 digits)."""
        return self.integral and (self.value is None or not low <= self.value <= high)


def integrality(token: bytes) -> Integrality:
    text = token.decode("ascii").lower()
    plain = "." not in text and "e" not in text and text != "-0"
    negative = text.startswith("-")
    mantissa, _, exponent_text = text.removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")

    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if significant == "":
        return Integrality(True, plain, negative, 0)

    # The value is `significant` followed by `zeros` zeros; a negative count cuts digits off.
    zeros = len(digits) - len(significant) - len(fraction)
    exponent_digits = exponent_text.lstrip("+-").lstrip("0")
    exponent_negative = exponent_text.startswith("-")
    if len(exponent_digits) > _EXPONENT_DIGITS:
        integral = not exponent_negative
        return Integrality(integral, plain, negative, None)
    exponent = int(exponent_digits or "0")
    zeros += -exponent if exponent_negative else exponent

    if zeros < 0:
        return Integrality(False, plain, negative, None)
    if len(significant) + zeros > _BIG_DIGITS:
        return Integrality(True, plain, negative, None)
    value = int(significant + "0" * zeros)
    return Integrality(True, plain, negative, -value if negative else value)


def rounded_down(token: bytes) -> tuple[int, bool]:
    """The largest integer that is not above the number, and whether it is equal; what is large counts as 10**20."""
    mantissa, _, exponent = token.decode("ascii").lower().removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    if digits == "":
        return 0, True
    exponent = exponent if len(exponent.lstrip("+-0")) <= _EXPONENT_DIGITS else exponent[:1] + "9" * _EXPONENT_DIGITS
    point = len(digits) - len(fraction) + int(exponent or "0")  # before so many of the digits it stands
    magnitude = 10**_BIG_DIGITS if point > _BIG_DIGITS else int(digits[: max(point, 0)].ljust(point, "0") or "0")
    exact = point > _BIG_DIGITS or (point > 0 and digits[point:].strip("0") == "")
    return (-magnitude - (not exact) if token.startswith(b"-") else magnitude), exact
