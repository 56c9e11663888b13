/** Builds the documents of menstrual cycles. A cycle lasts from the first day of a period to the day before the next one. */
import { DAY_MS, formatDate, type IsoDate, parseDate } from '../../core/time.ts'
import { type SummaryOrigin, sourceFields } from './summaries.ts'

/** Maximum time from one period to the next that counts as one cycle. */
export const MOST_CYCLE_DAYS = 60

/** The lists of a cycle, with at most one entry per day. */
const LISTS = [
  ...['menstrual_flow', 'cervical_mucus', 'intermenstrual_bleeding', 'contraceptive', 'detected_deviations'],
  ...['ovulation_test', 'home_pregnancy_test', 'home_progesterone_test', 'sexual_activity', 'basal_body_temperature'],
]

/** The days of a period. */
export interface Period {
  readonly first: IsoDate
  readonly last: IsoDate
}

/** Returns the last day of the cycle that begins with a period, and whether the next period ended it. */
export function cycleEnd(
  first: IsoDate,
  next: IsoDate | undefined,
): { readonly last: IsoDate; readonly isClosed: boolean } {
  const limit = (parseDate(first) ?? 0) + MOST_CYCLE_DAYS * DAY_MS
  const nextFirst = next === undefined ? undefined : (parseDate(next) ?? 0)
  const isClosed = nextFirst !== undefined && nextFirst <= limit
  return { last: formatDate((isClosed ? nextFirst : limit) - DAY_MS), isClosed }
}

/** Returns a cycle's document. `lists` contains its lists by field; all others are empty. */
export function cycleDocument(
  origin: SummaryOrigin,
  period: Period,
  { last, isClosed }: ReturnType<typeof cycleEnd>,
  lists: Readonly<Record<string, readonly object[]>>,
): Readonly<Record<string, unknown>> {
  return {
    period_start: period.first,
    period_end: period.last,
    cycle_end: isClosed ? last : null,
    is_predicted: false,
    ...Object.fromEntries(LISTS.map(name => [name, lists[name] ?? []])),
    ...sourceFields(origin),
    source_app_id: origin.appId ?? null,
    source_device_id: origin.deviceId ?? null,
  }
}
