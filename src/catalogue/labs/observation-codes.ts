/** LOINC codes of observations that belong to a timeseries, with their resource and the body part where they are measured. */
import type { TextColumn } from '../../core/sample.ts'
import codes from '../data/observation-codes.json' with { type: 'json' }

export interface ObservationTarget {
  readonly resource: string
  /** The discriminating type, or null. */
  readonly type: string | null
  /** Columns whose values the code implies. */
  readonly text: Readonly<Partial<Record<TextColumn, string>>>
}

/** The identifier of the LOINC code system in FHIR. */
export const LOINC_SYSTEM = 'http://loinc.org'

type Listed = Pick<ObservationTarget, 'resource'> & Partial<ObservationTarget>
const GROUPS: Readonly<Record<string, Readonly<Record<string, Listed>>>> = codes

/** Resources by code. Codes are deliberately omitted if their specimen, time of day or statistic differs from the resource's. */
export const OBSERVATION_CODES: ReadonlyMap<string, ObservationTarget> = new Map(
  Object.values(GROUPS)
    .flatMap(Object.entries<Listed>)
    .map(([code, listed]) => [code, { type: null, text: {}, ...listed }]),
)

/**
 * The half of a blood pressure reading that a code represents. The reading may be single or an average, and taken while sitting, standing
 * or lying down.
 */
export const PRESSURE_CODES: ReadonlyMap<string, 'systolic' | 'diastolic'> = new Map([
  ['8480-6', 'systolic'],
  ['8459-0', 'systolic'],
  ['8460-8', 'systolic'],
  ['8461-6', 'systolic'],
  ['96608-5', 'systolic'],
  ['8462-4', 'diastolic'],
  ['8453-3', 'diastolic'],
  ['8454-1', 'diastolic'],
  ['8455-8', 'diastolic'],
  ['96609-3', 'diastolic'],
])
