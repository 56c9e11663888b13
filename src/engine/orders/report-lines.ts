/** Generates a simulated laboratory's measurements: one line per expected result, always the same for the same seed and order. */
import type { ExpectedResult, Marker } from '../../catalogue/labs/markers.ts'
import { codedResult, type ReferenceRange, referenceRange } from '../../catalogue/labs/reference-ranges.ts'
import type { Interpretation, ResultType } from '../../contract/orders/order-result.ts'
import type { Stream } from '../../core/random.ts'

/** A result's standing: in its range, outside it on one side, or far outside it. */
export type ResultStanding = 'normal' | 'low' | 'high' | 'critical_low' | 'critical_high'

export interface ExpectedLine {
  readonly expected: ExpectedResult
  /** The markers that the result was ordered with. */
  readonly markers: readonly Marker[]
}

/** Value of a non-numeric result, for which consumers read `result` instead. See docs/interface/orders.md#orders-9. */
const NO_NUMBER = -1

/** Returns the requested standing, or another one if the test cannot have it. For example, a test without a lower bound is never low. */
export function possibleStanding(
  expected: ExpectedResult,
  wanted: 'normal' | 'abnormal' | 'critical',
  stream: Stream,
): ResultStanding {
  if (wanted === 'normal') return 'normal'
  const range = referenceRange(expected.loinc)
  const canBeHigh = range === null || range.high !== null
  const canBeLow = range !== null && range.low !== null && range.low > 0
  const side = canBeHigh && (!canBeLow || stream.next() < 0.6) ? 'high' : 'low'
  return wanted === 'critical' ? `critical_${side}` : side
}

/** Returns a test's result type. A non-numeric test is reported in words. */
export function chooseResultType(expected: ExpectedResult, asked: ResultType | undefined): ResultType {
  const isNumber = referenceRange(expected.loinc) !== null
  if (asked === undefined) return isNumber ? 'numeric' : 'coded_value'
  return !isNumber && (asked === 'numeric' || asked === 'range') ? 'coded_value' : asked
}

/** Determines how a line is reported. */
export interface Measurement {
  readonly type: ResultType
  readonly standing: ResultStanding
  /** The number, if other results determine it. */
  readonly known: number | undefined
  /** Whether the laboratory reports the result's standing. */
  readonly isKnown: boolean
}

/** Returns a line's content, without the measurement's time and laboratory. */
export function measured(expected: ExpectedResult, { type, standing, known, isKnown }: Measurement, stream: Stream) {
  const range = referenceRange(expected.loinc)
  const isInNumbers = range !== null && (type === 'numeric' || type === 'range')
  const value = range && type === 'numeric' ? (known ?? valueIn(range, standing, stream)) : null
  const isHigh = standing.endsWith('high')
  const isLow = standing.endsWith('low')
  return {
    value: value ?? NO_NUMBER,
    result: value === null ? wordsFor(expected, type, standing) : value.toFixed(range?.decimals ?? 0),
    type,
    result_type: type,
    unit: isInNumbers ? expected.loinc.unit : null,
    notes: null,
    reference_range: rangeText(expected, isInNumbers ? range : null, type),
    min_range_value: isInNumbers ? range.low : null,
    max_range_value: isInNumbers ? range.high : null,
    is_above_max_range: isInNumbers ? isHigh : null,
    is_below_min_range: isInNumbers ? isLow : null,
    interpretation: isKnown ? interpret(standing) : 'unknown',
    source_interpretation: isKnown ? flagText(standing, isInNumbers) : null,
  }
}

function interpret(standing: ResultStanding): Interpretation {
  if (standing === 'normal') return 'normal'
  return standing.startsWith('critical') ? 'critical' : 'abnormal'
}

/** Returns the letters that laboratories print next to a result. */
function flagText(standing: ResultStanding, isInNumbers: boolean): string {
  if (standing === 'normal') return 'N'
  const letter = isInNumbers ? (standing.endsWith('high') ? 'H' : 'L') : 'A'
  return standing.startsWith('critical') ? letter + letter : letter
}

/** Returns a number rounded to the lab's number of digits. It stays on the correct side of the bounds after rounding. */
export function valueIn(
  { low, high, decimals, most = Number.POSITIVE_INFINITY }: ReferenceRange,
  standing: ResultStanding,
  stream: Stream,
): number {
  const least = 10 ** -decimals
  const bottom = low ?? 0
  const top = high ?? bottom * 2
  const width = Math.max(top - bottom, least)
  // a critical value is beyond half of the remaining distance to the largest value
  const above = (times: number): number => round(top + Math.min(width, (most - top) / 3) * times)
  const round = (value: number): number => Number(value.toFixed(decimals))
  switch (standing) {
    case 'normal':
      return Math.min(Math.max(round(bottom + width * stream.between(0.2, 0.8)), bottom), top)
    case 'high':
      return Math.max(above(stream.between(0.1, 0.5)), round(top + least))
    case 'critical_high':
      return Math.max(above(stream.between(1.5, 2.5)), round(top + 2 * least))
    case 'low':
      return Math.min(round(bottom * stream.between(0.75, 0.95)), round(bottom - least))
    case 'critical_low':
      return Math.max(0, Math.min(round(bottom * stream.between(0.3, 0.5)), round(bottom - least)))
  }
}

function wordsFor(expected: ExpectedResult, type: ResultType, standing: ResultStanding): string {
  const range = referenceRange(expected.loinc)
  if (type === 'range' && range) return boundText(range, standing)
  if (type === 'comment') {
    return standing === 'normal' ? 'No unexpected findings.' : 'Unexpected finding; see the full report.'
  }
  const coded = codedResult(expected.loinc)
  return standing === 'normal' ? coded.usual : coded.notable
}

/** Returns a bound such as `<5` or `>20`, which a lab reports at the limit of its measuring range. */
function boundText({ low, high, decimals }: ReferenceRange, standing: ResultStanding): string {
  const text = (bound: number): string => bound.toFixed(decimals)
  switch (standing) {
    case 'normal':
      return high === null ? `>${text(low ?? 0)}` : `<${text(high)}`
    case 'high':
    case 'critical_high':
      return `>${text((high ?? low ?? 0) * (standing === 'high' ? 1 : 2))}`
    case 'low':
    case 'critical_low':
      return `<${text((low ?? 0) * (standing === 'low' ? 1 : 0.5))}`
  }
}

function rangeText(expected: ExpectedResult, range: ReferenceRange | null, type: ResultType): string | null {
  if (range) {
    const { low, high, decimals } = range
    if (low === null) return `<=${(high ?? 0).toFixed(decimals)}`
    return high === null ? `>=${low.toFixed(decimals)}` : `${low.toFixed(decimals)}-${high.toFixed(decimals)}`
  }
  return type === 'coded_value' ? codedResult(expected.loinc).usual : null
}
