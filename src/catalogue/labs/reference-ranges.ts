/**
 * Reference ranges of the simulated laboratories, by LOINC code. They are common values for adults and only make results look like those of
 * a lab. They are not medical advice.
 */
import type { LoincRow } from './markers.ts'

export interface ReferenceRange {
  /** Null means that there is no lower bound. */
  readonly low: number | null
  /** Null means that there is no upper bound. */
  readonly high: number | null
  /** Number of decimal places that the lab reports. */
  readonly decimals: number
}

type Row = readonly [code: string, low: number | null, high: number | null, decimals: number]

const ROWS: readonly Row[] = [
  // metabolic
  ['2345-7', 65, 99, 0],
  ['2339-0', 65, 99, 0],
  ['1558-6', 65, 99, 0],
  ['1507-3', 65, 180, 0],
  ['1518-0', 65, 140, 0],
  ['3094-0', 7, 25, 0],
  ['2160-0', 0.6, 1.3, 2],
  ['3097-3', 6, 22, 0],
  ['33914-3', 60, null, 0],
  ['2951-2', 135, 146, 0],
  ['2947-0', 135, 146, 0],
  ['2823-3', 3.5, 5.3, 1],
  ['6298-4', 3.5, 5.3, 1],
  ['2075-0', 98, 110, 0],
  ['2028-9', 20, 32, 0],
  ['33037-3', 8, 16, 0],
  ['10466-1', 8, 16, 0],
  ['17861-6', 8.6, 10.3, 1],
  ['1994-3', 1.15, 1.32, 2],
  ['2777-1', 2.5, 4.5, 1],
  ['19123-9', 1.5, 2.5, 1],
  ['2601-3', 0.7, 1.05, 2],
  ['3084-1', 3.5, 7.2, 1],
  ['2885-2', 6.1, 8.1, 1],
  ['1751-7', 3.6, 5.1, 1],
  ['10834-0', 19, 37, 0],
  ['2336-6', 1.9, 3.7, 1],
  ['1759-0', 1, 2.5, 1],
  ['1975-2', 0.2, 1.2, 1],
  ['1968-7', null, 0.3, 1],
  ['1971-1', 0.2, 1.2, 1],
  ['6768-6', 36, 130, 0],
  ['1920-8', 10, 40, 0],
  ['1742-6', 9, 46, 0],
  ['2532-0', 120, 250, 0],
  ['2157-6', 40, 200, 0],
  ['3040-3', 7, 60, 0],
  ['1798-8', 21, 101, 0],
  ['4548-4', 4, 5.6, 1],
  ['20448-7', 2.6, 18.4, 1],
  // lipids and heart
  ['2093-3', 100, 199, 0],
  ['2571-8', 40, 149, 0],
  ['2085-9', 40, null, 0],
  ['13457-7', null, 99, 0],
  ['2089-1', null, 99, 0],
  ['18262-6', null, 99, 0],
  ['13458-5', 5, 30, 0],
  ['43396-1', null, 129, 0],
  ['9830-1', null, 5, 1],
  ['11054-4', null, 3.5, 1],
  ['1884-6', 50, 89, 0],
  ['1869-7', 1.1, 2.05, 2],
  ['10835-7', null, 30, 0],
  ['30522-7', null, 3, 1],
  ['1988-5', null, 8, 1],
  ['13965-9', null, 11.4, 1],
  ['33762-6', null, 125, 0],
  ['13969-1', null, 5, 1],
  ['10839-9', null, 0.04, 2],
  // blood count
  ['6690-2', 3.8, 10.8, 1],
  ['26464-8', 3.8, 10.8, 1],
  ['789-8', 3.8, 5.8, 2],
  ['718-7', 11.7, 17.1, 1],
  ['4544-3', 35, 50, 1],
  ['20570-8', 35, 50, 1],
  ['787-2', 80, 100, 1],
  ['30428-7', 80, 100, 1],
  ['785-6', 27, 33, 1],
  ['786-4', 32, 36, 1],
  ['788-0', 11, 15, 1],
  ['777-3', 140, 400, 0],
  ['26515-7', 140, 400, 0],
  ['32623-1', 7.5, 12.5, 1],
  ['770-8', 38, 80, 1],
  ['736-9', 15, 49, 1],
  ['5905-5', 2, 13, 1],
  ['713-8', null, 8, 1],
  ['706-2', null, 2, 1],
  ['71695-1', null, 1, 1],
  ['751-8', 1.5, 7.8, 2],
  ['731-0', 0.85, 3.9, 2],
  ['742-7', 0.2, 0.95, 2],
  ['711-2', 0.015, 0.5, 3],
  ['704-7', null, 0.2, 3],
  ['53115-2', null, 0.1, 2],
  ['4537-7', null, 20, 0],
  ['5902-2', 9, 11.5, 1],
  ['6301-6', 0.9, 1.1, 1],
  ['14979-9', 23, 32, 0],
  // iron, vitamins, hormones
  ['2498-4', 45, 180, 0],
  ['2500-7', 250, 425, 0],
  ['2501-5', 110, 370, 0],
  ['2502-3', 16, 48, 0],
  ['2276-4', 16, 290, 0],
  ['2132-9', 200, 1100, 0],
  ['2284-8', 5.4, null, 1],
  ['62292-8', 30, 100, 0],
  ['1989-3', 30, 100, 0],
  ['1990-1', 20, 100, 0],
  ['2236-8', null, 4000, 0],
  ['3016-3', 0.4, 4.5, 2],
  ['11579-0', 0.4, 4.5, 2],
  ['3024-7', 0.8, 1.8, 1],
  ['3026-2', 4.9, 10.5, 1],
  ['3051-0', 2.3, 4.2, 1],
  ['2986-8', 15, 1000, 0],
  ['2991-8', 0.5, 155, 1],
  ['13967-5', 10, 124, 0],
  ['15432-8', 0.2, 3, 2],
  ['2243-4', 15, 350, 0],
  ['2839-9', 0.1, 20, 1],
  ['15067-2', 1.4, 21.5, 1],
  ['10501-5', 1.5, 18, 1],
  ['2842-3', 2, 18, 1],
  ['2143-6', 4, 22, 1],
  ['2142-8', 0.03, 0.75, 2],
  ['2191-5', 38, 400, 0],
  ['2857-1', null, 4, 2],
  ['10886-0', null, 1, 2],
  ['12841-3', 25, null, 0],
  // antibodies, metals, stool
  ['2458-8', 47, 310, 0],
  ['11572-5', null, 14, 0],
  ['33935-8', null, 20, 0],
  ['31017-7', null, 15, 1],
  ['32998-7', null, 15, 1],
  ['5334-8', 1, null, 2],
  ['5076-5', null, 20, 0],
  ['3181-5', null, 20, 0],
  ['3182-3', null, 20, 0],
  ['5671-3', null, 3.5, 1],
  ['5583-0', null, 2.3, 1],
  ['5685-3', null, 10, 0],
  ['82874-9', null, 50, 0],
  ['10366-3', null, 10, 0],
  // urine
  ['5803-2', 5, 8, 1],
  ['5792-7', null, 15, 0],
  ['5804-0', null, 15, 0],
  ['5797-6', null, 5, 0],
  ['20405-7', null, 1, 1],
  ['3107-0', null, 1, 1],
  ['5821-4', null, 5, 0],
  ['13945-1', null, 2, 0],
  ['5787-7', null, 5, 0],
  ['5769-5', null, 9, 0],
  ['5796-8', null, 2, 0],
  ['9842-6', null, 2, 0],
  ['2161-8', 20, 320, 0],
  ['2162-6', 0.5, 2.15, 2],
  ['2164-2', 75, 150, 0],
]

const RANGES: ReadonlyMap<string, ReferenceRange> = new Map(
  ROWS.map(([code, low, high, decimals]) => [code, { low, high, decimals }]),
)

/** Ranges by unit, for the many tests that have no range of their own. */
const BY_UNIT: Readonly<Record<string, ReferenceRange>> = {
  'k[IU]/L': { low: null, high: 0.35, decimals: 2 },
  '%': { low: 1, high: 50, decimals: 1 },
  '{ratio}': { low: 0.5, high: 2, decimals: 2 },
  '{Index_val}': { low: null, high: 0.9, decimals: 2 },
  '{titer}': { low: null, high: 40, decimals: 0 },
  '[pH]': { low: 5, high: 8, decimals: 1 },
}
const OTHERWISE: ReferenceRange = { low: 1, high: 10, decimals: 1 }

/** Returns the range of a test that is reported as a number, or null for a test without a unit, which is not. */
export function referenceRange(loinc: { readonly code: string; readonly unit: string | null }): ReferenceRange | null {
  const known = RANGES.get(loinc.code)
  if (known) return known
  return loinc.unit === null ? null : (BY_UNIT[loinc.unit] ?? OTHERWISE)
}

/** The texts that are reported instead of a number: the usual text, and the notable one. */
export interface CodedResult {
  readonly usual: string
  readonly notable: string
}

/** By LOINC code: texts for tests that no standard pair of opposites fits. */
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

/** The codes that have ranges, for the test that looks each of them up in the LOINC table. */
export const RANGED_CODES: readonly LoincRow['code'][] = ROWS.map(([code]) => code)
