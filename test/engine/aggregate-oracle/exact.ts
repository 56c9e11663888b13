/** Sums, means and standard deviations of doubles that are rounded only once at the end: every double is an integer over 2^1074. */

const view = new DataView(new ArrayBuffer(8))
const SCALE = 1074

/** Returns a finite double times 2^1074. */
function scaled(x: number): bigint {
  view.setFloat64(0, x)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xf_ffff_ffff_ffffn
  const size = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1)
  return x < 0 ? -size : size
}

const bitLength = (n: bigint): number => (n === 0n ? 0 : n.toString(2).length)

/** Returns n · 2^-shift, rounded once. n has at least 66 bits, or its last bit stands for everything that was cut off. */
function rounded(n: bigint, shift: number): number {
  const spare = Math.max(0, bitLength(n) - 80)
  const kept = n >> BigInt(spare)
  const sticky = kept << BigInt(spare) === n ? kept : kept | 1n
  // in two steps, because a single power of two may be too small or too large for a double
  const power = spare - shift
  const half = Math.trunc(power / 2)
  return Number(sticky) * 2 ** half * 2 ** (power - half)
}

/** Returns the double nearest to numerator / (denominator · 2^scale). */
function nearest(numerator: bigint, denominator: bigint, scale: number): number {
  if (numerator < 0n) return -nearest(-numerator, denominator, scale)
  if (numerator === 0n) return 0
  const shift = Math.max(0, 66 - bitLength(numerator) + bitLength(denominator))
  const wide = numerator << BigInt(shift)
  const quotient = wide / denominator
  return rounded(quotient * denominator === wide ? quotient : quotient | 1n, shift + scale)
}

function squareRoot(n: bigint): bigint {
  let guess = 1n << BigInt(Math.ceil(bitLength(n) / 2))
  for (;;) {
    const next = (guess + n / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

const total = (values: readonly number[]): bigint => values.reduce((sum, each) => sum + scaled(each), 0n)

/** Returns the sum, rounded once. */
export function exactSum(values: readonly number[]): number {
  return nearest(total(values), 1n, SCALE)
}

/** Returns the mean of at least one value, rounded once. */
export function exactMean(values: readonly number[]): number {
  return nearest(total(values), BigInt(values.length), SCALE)
}

/** Returns the sample standard deviation of at least two values. The root is taken from more than 130 bits. */
export function exactDeviation(values: readonly number[]): number {
  const n = BigInt(values.length)
  const sum = total(values)
  const squares = values.reduce((all, each) => all + scaled(each) ** 2n, 0n)
  const numerator = n * squares - sum * sum
  const denominator = n * (n - 1n)
  if (numerator === 0n) return 0
  const shift = Math.max(0, 70 - Math.floor((bitLength(numerator) - bitLength(denominator)) / 2))
  const variance = (numerator << BigInt(2 * shift)) / denominator
  const root = squareRoot(variance)
  return rounded(root * root === variance ? root : root | 1n, SCALE + shift)
}
