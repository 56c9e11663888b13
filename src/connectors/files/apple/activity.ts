/** Reads an export's daily activity summaries. */
import { DAY_MS, parseDate } from '../../../core/time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import { parseNumber, type XmlAttributes } from '../xml/attributes.ts'
import type { SourceTypes } from './source.ts'
import { convert, findConversion, KILOCALORIES } from './units.ts'

/**
 * Adds an `ActivitySummary` as the `activity` summary of its date, or skips one whose date is missing, invalid, before 1970 or in the
 * future. Dates are floating, without an offset.
 */
export function addActivitySummary(
  importing: RecordImport,
  { provider, merged: sourceType }: SourceTypes,
  attributes: XmlAttributes,
): void {
  const { userId, now } = importing.context
  const date = attributes.get('dateComponents') ?? ''
  const problem = dateProblem(parseDate(date), now)
  if (problem !== undefined) {
    importing.skip(`an activity summary ${problem}`, `byte ${attributes.byte}`)
    return
  }
  const origin = { userId, provider, sourceType, recordId: [sourceType, date], date, offset: null }
  const summary = activitySummary(origin, { calories_active: activeCalories(attributes) })
  importing.addItem({ kind: 'summary', summary })
}

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
