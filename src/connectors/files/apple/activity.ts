/** Reads an export's daily activity summaries, to which resting heart rates are added at the end. */
import { DAY_MS, type IsoDate, parseDate } from '../../../core/time.ts'
import type { HeartValues } from '../../shared/heart-values.ts'
import { activitySummary } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import { parseNumber, type XmlAttributes } from '../xml/attributes.ts'
import type { SourceTypes } from './source.ts'
import { convert, findConversion, KILOCALORIES } from './units.ts'

/** An `ActivitySummary` element. */
export interface ActivityDay {
  readonly date: IsoDate
  readonly caloriesActive: number | null
}

/**
 * Reads an `ActivitySummary`, or skips one whose date is missing, invalid, before 1970 or in the future. Dates are floating, without an
 * offset.
 */
export function readActivityDay(importing: RecordImport, attributes: XmlAttributes): ActivityDay | undefined {
  const date = attributes.get('dateComponents') ?? ''
  const problem = dateProblem(parseDate(date), importing.context.now)
  if (problem !== undefined) {
    importing.skip(`an activity summary ${problem}`, `byte ${attributes.byte}`)
    return undefined
  }
  return { date, caloriesActive: activeCalories(attributes) }
}

/** Adds a day as the `activity` summary of its date. */
export function addActivityDay(
  importing: RecordImport,
  { provider, merged: sourceType }: SourceTypes,
  { date, caloriesActive }: ActivityDay,
  heart: HeartValues,
): void {
  const { userId } = importing.context
  const origin = { userId, provider, sourceType, recordId: [sourceType, date], date, offset: null }
  const resting = heart.restingOn(date)
  const fields = {
    calories_active: caloriesActive,
    heart_rate: resting === null ? null : { ...NO_HEART_RATE, resting_bpm: resting },
  }
  importing.addItem({ kind: 'summary', summary: activitySummary(origin, fields) })
}

const NO_HEART_RATE = { avg_bpm: null, min_bpm: null, max_bpm: null, avg_walking_bpm: null }

function dateProblem(at: number | undefined, now: number): string | undefined {
  if (at === undefined) return 'has no valid date'
  if (at > now + DAY_MS) return 'has a date in the future'
  return at < 0 ? 'has a date before 1970' : undefined
}

function activeCalories(attributes: XmlAttributes): number | null {
  const conversion = findConversion(KILOCALORIES, attributes.get('activeEnergyBurnedUnit') ?? 'kcal')
  const value = parseNumber(attributes.get('activeEnergyBurned') ?? '')
  return conversion === undefined || !Number.isFinite(value) ? null : convert(value, conversion)
}
