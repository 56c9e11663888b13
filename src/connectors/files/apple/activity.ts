/** Reads the daily activity summaries of an export. */
import { ownedId } from '../../../core/ids.ts'
import type { SummaryRecord } from '../../../core/sample.ts'
import { DAY_MS, parseDate } from '../../../core/time.ts'
import type { ImportContext } from '../importer.ts'
import type { SkipCounts } from '../skip-counts.ts'
import { parseNumber, type XmlAttributes } from '../xml/attributes.ts'
import type { SourceTypes } from './source.ts'
import { conversionOf, convert, KILOCALORIES } from './units.ts'

/**
 * Returns an `ActivitySummary` as the `activity` summary of its date. Dates are floating: there is no offset, and `at` is midnight UTC.
 * Returns undefined, and counts the reason in `skips`, when the date is missing, invalid, before 1970 or in the future.
 */
export function activitySummary(
  { userId, now }: Pick<ImportContext, 'userId' | 'now'>,
  { provider, merged: sourceType }: SourceTypes,
  attributes: XmlAttributes,
  skips: SkipCounts,
): SummaryRecord | undefined {
  const date = attributes.get('dateComponents') ?? ''
  const at = parseDate(date)
  const problem =
    at === undefined
      ? 'has no valid date'
      : at > now + DAY_MS
        ? 'has a date in the future'
        : at < 0
          ? 'has a date before 1970'
          : undefined
  if (at === undefined || problem !== undefined) {
    skips.add(`an activity summary ${problem}`, 1, `byte ${attributes.byte}`)
    return undefined
  }
  return {
    kind: 'activity',
    id: ownedId(userId, 'activity', provider, sourceType, date),
    provider,
    sourceType,
    appId: null,
    deviceId: null,
    at,
    date,
    offset: null,
    document: {
      date: `${date}T00:00:00+00:00`,
      calendar_date: date,
      calories_total: null,
      calories_active: activeCalories(attributes),
      steps: null,
      daily_movement: null,
      distance: null,
      low: null,
      medium: null,
      high: null,
      floors_climbed: null,
      time_zone: null,
      timezone_offset: null,
      heart_rate: null,
      wheelchair_use: null,
      wheelchair_push: null,
    },
  }
}

function activeCalories(attributes: XmlAttributes): number | null {
  const conversion = conversionOf(KILOCALORIES, attributes.get('activeEnergyBurnedUnit') ?? 'kcal')
  const value = parseNumber(attributes.get('activeEnergyBurned') ?? '')
  return conversion === undefined || !Number.isFinite(value) ? null : convert(value, conversion)
}
