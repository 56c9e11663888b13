/**
 * The simulated laboratories' reference ranges, by LOINC code. They are common values for adults, used only to make results look realistic,
 * and are not medical advice.
 */
import ranges from '../data/reference-ranges.json' with { type: 'json' }

export interface ReferenceRange {
  /** Lower bound; null if there is none. */
  readonly low: number | null
  /** Upper bound; null if there is none. */
  readonly high: number | null
  /** Number of decimal places that the lab reports. */
  readonly decimals: number
  /** The largest possible value, such as 100 %; absent if there is none. */
  readonly most?: number
}

const GROUPS: Readonly<Record<string, Readonly<Record<string, ReferenceRange>>>> = ranges

/** Ranges by LOINC code. */
export const RANGES: ReadonlyMap<string, ReferenceRange> = new Map(Object.values(GROUPS).flatMap(Object.entries))

/** Ranges by unit, for the many tests without their own range. */
const BY_UNIT: Readonly<Record<string, ReferenceRange>> = {
  'k[IU]/L': { low: null, high: 0.35, decimals: 2 },
  '%': { low: 1, high: 50, decimals: 1 },
  '{ratio}': { low: 0.5, high: 2, decimals: 2 },
  '{Index_val}': { low: null, high: 0.9, decimals: 2 },
  '{titer}': { low: null, high: 40, decimals: 0 },
  '[pH]': { low: 5, high: 8, decimals: 1 },
}
const OTHERWISE: ReferenceRange = { low: 1, high: 10, decimals: 1 }

/** Returns a test's range. Returns null for a test without a unit, which is not reported as a number. */
export function referenceRange(loinc: { readonly code: string; readonly unit: string | null }): ReferenceRange | null {
  const known = RANGES.get(loinc.code)
  if (known) return known
  return loinc.unit === null ? null : (BY_UNIT[loinc.unit] ?? OTHERWISE)
}

/** Texts that are reported instead of a number: the usual text and the notable one. */
export interface CodedResult {
  readonly usual: string
  readonly notable: string
}

/** Texts by LOINC code, for tests that do not fit a standard pair of opposites. */
const CODED: Readonly<Record<string, CodedResult>> = {
  '883-9': { usual: 'O', notable: 'AB' },
  '10331-7': { usual: 'Positive', notable: 'Negative' },
  '5811-5': { usual: '1.015', notable: '1.035' },
  '2965-2': { usual: '1.015', notable: '1.035' },
  '5782-8': { usual: 'None seen', notable: 'Calcium oxalate' },
  '6742-1': { usual: 'Normal', notable: 'Abnormal' },
}

export function codedResult(loinc: { readonly code: string; readonly name: string }): CodedResult {
  const known = CODED[loinc.code]
  if (known) return known
  return /\b(RNA|DNA|Ag)\b/.test(loinc.name)
    ? { usual: 'Not Detected', notable: 'Detected' }
    : { usual: 'Negative', notable: 'Positive' }
}
