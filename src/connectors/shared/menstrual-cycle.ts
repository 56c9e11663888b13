/** Builds menstrual cycle summaries from the first days of periods, and entries of single days. */
import type { SummaryRecord } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, formatDate, type IsoDate, parseDate } from '../../core/time.ts'
import { type SummaryOrigin, sourceFields, summaryAt } from './summaries.ts'

/** Maximum time from one period to the next that counts as one cycle. */
export const MOST_CYCLE_DAYS = 60

/** The last day whose entries belong to a cycle, and the cycle's own last day, which is null while it is unknown. */
export interface CycleBounds {
  readonly last: IsoDate
  readonly cycleEnd: IsoDate | null
}

/** Returns a cycle's bounds from the first days of its period and of the next one. */
export function cycleBounds(first: IsoDate, next: IsoDate | undefined): CycleBounds {
  const limit = addDays(first, MOST_CYCLE_DAYS)
  const isClosed = next !== undefined && next <= limit
  const last = addDays(isClosed ? next : limit, -1)
  return { last, cycleEnd: isClosed ? last : null }
}

export function addDays(date: IsoDate, days: number): IsoDate {
  return formatDate((parseDate(date) ?? 0) + days * DAY_MS)
}

/** Returns a cycle's summary. `lists` contains the lists in docs/interface/summaries.md that the provider supplies. */
export function menstrualCycleSummary(
  origin: SummaryOrigin,
  at: EpochMs,
  period: { readonly start: IsoDate; readonly end: IsoDate | null },
  { cycleEnd }: CycleBounds,
  lists: Readonly<Record<string, readonly object[]>>,
): SummaryRecord {
  return summaryAt(origin, 'menstrual_cycle', at, {
    period_start: period.start,
    period_end: period.end,
    cycle_end: cycleEnd,
    is_predicted: false,
    menstrual_flow: [],
    cervical_mucus: [],
    intermenstrual_bleeding: [],
    contraceptive: [],
    detected_deviations: [],
    ovulation_test: [],
    home_pregnancy_test: [],
    home_progesterone_test: [],
    sexual_activity: [],
    basal_body_temperature: [],
    ...lists,
    ...sourceFields(origin),
    source_app_id: origin.appId ?? null,
    source_device_id: origin.deviceId ?? null,
  })
}
