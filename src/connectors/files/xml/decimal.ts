/**
 * Reads plain decimal numbers directly from bytes. Nearly every record contains one, and creating a string for each would be slower. Reads
 * by index are unchecked (`as number`), because the loops are hot and stay in range.
 */

const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e
/** Maximum number of digits for which the digits and the power of ten are exact, so that one division rounds as `Number` does. */
const MAX_DIGITS = 15
const POWERS = Array.from({ length: MAX_DIGITS + 1 }, (_, i) => 10 ** i)

/** Returns the number in the bytes, or NaN if only a full parser can read them (an exponent, more digits, not a number). */
export function parseDecimal(bytes: Uint8Array, from: number, to: number): number {
  const negative = bytes[from] === MINUS
  const first = negative ? from + 1 : from
  let number = 0
  let pointAt = -1
  for (let i = first; i < to; i++) {
    const code = bytes[i] as number
    const digit = code - ZERO
    if (digit >= 0 && digit <= 9) number = number * 10 + digit
    else if (code === POINT && pointAt === -1) pointAt = i
    else return Number.NaN
  }
  const digits = to - first - (pointAt === -1 ? 0 : 1)
  if (digits < 1 || digits > MAX_DIGITS) return Number.NaN
  const size = pointAt === -1 ? number : number / (POWERS[to - pointAt - 1] as number)
  return negative ? -size : size
}
