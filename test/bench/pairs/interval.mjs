/** The median of paired ratios with an interval that assumes no distribution, and the verdict. */
import { median } from '../figures.mjs'

/** A line fails if its whole interval is worse than this. */
const WORSE = 0.03
/** A wider interval is not decisive. */
const WIDEST = 0.06
const MISSED_TAIL = 0.025

/** The minimum number of pairs for a verdict. */
export const LEAST_PAIRS = 15

/**
 * Returns `{ median, low, high }` of the ratios. The interval contains the true median with a probability of at least 95 %: it lies between
 * two of the sorted ratios, which the binomial distribution chooses. Throws a RangeError for fewer than 6 ratios, which have no such interval.
 */
export function medianWithInterval(ratios) {
  const sorted = [...ratios].sort((a, b) => a - b)
  const count = sorted.length
  let probability = 0.5 ** count
  let tail = probability
  let rank = 0
  while (tail <= MISSED_TAIL) {
    probability = (probability * (count - rank)) / (rank + 1)
    rank++
    tail += probability
  }
  if (rank === 0) throw new RangeError(`An interval of 95 % needs at least 6 ratios, not ${count}.`)
  return { median: median(sorted), low: sorted[rank - 1], high: sorted[count - rank] }
}

/** Returns `worse`, `better`, `ok` or `not decided` for an interval of checkout / base. */
export function verdictOf({ low, high }, isLowerBetter) {
  const [least, most] = isLowerBetter ? [low, high] : [1 / high, 1 / low]
  if (least > 1 + WORSE) return 'worse'
  if (most < 1 - WORSE) return 'better'
  return high - low > WIDEST ? 'not decided' : 'ok'
}
