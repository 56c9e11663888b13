/**
 * Results that can be calculated from other results of the same sample, by LOINC code: ratios, differences, fractions, and the same analyte
 * by another method. Simulated laboratories report them so that a report is consistent.
 */
import derived from '../data/derived-results.json' with { type: 'json' }

/**
 * How a result is derived from others, in the results' units: `constant` plus the sum of `terms` (a factor for each code), or `times` the
 * product of `factors` (an exponent for each code).
 */
export interface Derivation {
  readonly constant?: number
  readonly terms?: Readonly<Record<string, number>>
  /** Terms that count only if the report also contains their result. */
  readonly ifReported?: Readonly<Record<string, number>>
  readonly times?: number
  readonly factors?: Readonly<Record<string, number>>
  /** Exponent of the patient's age in years. */
  readonly age?: number
  /** Factor for female patients. */
  readonly female?: number
}

const GROUPS: Readonly<Record<string, Readonly<Record<string, Derivation>>>> = derived

/** Derivations by LOINC code. */
export const DERIVED_RESULTS: ReadonlyMap<string, Derivation> = new Map(Object.values(GROUPS).flatMap(Object.entries))

/** The patient's data that derivations use. */
export interface DerivingPatient {
  readonly ageYears: number
  readonly isFemale: boolean
}

/** Minimum age for the formulas, which are for adults. */
const LEAST_AGE_YEARS = 18

/** Returns the codes that a derivation uses; `reported` contains the codes in the report. */
export function listInputs(
  { terms, ifReported, factors }: Derivation,
  reported: ReadonlySet<string>,
): readonly string[] {
  const optional = Object.keys(ifReported ?? {}).filter(code => reported.has(code))
  return [...Object.keys(terms ?? factors ?? {}), ...optional]
}

/** Returns the derived value, not rounded; `numberOf` returns the values of its inputs. */
export function derivedValue(
  { constant = 0, terms, ifReported, times = 1, factors = {}, age = 0, female = 1 }: Derivation,
  numberOf: (code: string) => number,
  reported: ReadonlySet<string>,
  { ageYears, isFemale }: DerivingPatient,
): number {
  if (terms) {
    const counted = Object.entries(ifReported ?? {}).filter(([code]) => reported.has(code))
    return [...Object.entries(terms), ...counted].reduce(
      (sum, [code, factor]) => sum + factor * numberOf(code),
      constant,
    )
  }
  const ofPatient = Math.max(LEAST_AGE_YEARS, ageYears) ** age * (isFemale ? female : 1)
  return Object.entries(factors).reduce(
    (product, [code, power]) => product * numberOf(code) ** power,
    times * ofPatient,
  )
}
