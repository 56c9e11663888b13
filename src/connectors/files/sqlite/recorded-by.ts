/** The app and the device that recorded data. Each pair is a source of its own. */
import { getOrInsert } from '../../../core/maps.ts'
import type { SeriesKey, TextColumn } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import { dateIn, type RecordTime } from '../../shared/record-time.ts'
import type { SummaryOrigin } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'

export interface RecordedBy {
  readonly provider: string
  readonly sourceType: string
  /** Package name of the app. */
  readonly appId: string | null
  readonly deviceId: string | null
  /** Columns of the samples. */
  readonly text: Readonly<Partial<Record<TextColumn, string>>>
  /** Distinguishes sources. */
  readonly key: string
  /** Returns the series of a resource. */
  series(resource: string): SeriesKey
}

/** Returns a source. Its text has only the columns that have a value. */
export function recordedBy(source: Omit<RecordedBy, 'text' | 'key' | 'series'>): RecordedBy {
  const { provider, sourceType, appId, deviceId } = source
  const known = new Map<string, SeriesKey>()
  return {
    ...source,
    text: { ...(appId !== null && { app_id: appId }), ...(deviceId !== null && { device_id: deviceId }) },
    key: `${sourceType} ${appId} ${deviceId}`,
    series: resource => getOrInsert(known, resource, () => ({ resource, type: null, provider, sourceType })),
  }
}

/** Returns the origin of a record's summary, on the date of this time. */
export function summaryOrigin(
  { context }: RecordImport,
  { provider, sourceType, appId, deviceId }: RecordedBy,
  recordId: string | readonly (string | number)[],
  time: RecordTime,
): SummaryOrigin {
  const { userId, timeZone } = context
  return { userId, provider, sourceType, appId, deviceId, recordId, date: dateIn(time, timeZone), offset: time.offset }
}

/** Counts records that do not state their offset. */
export function noticeWithoutOffset(importing: RecordImport, count: number): void {
  if (count === 0) return
  const { timeZone } = importing.context
  const local = timeZone === null ? 'is unknown, because no time zone is set' : `is that of ${timeZone}`
  importing.notice(`records without an offset, whose local time ${local}`, count)
}

/** Returns the offset of an instant whose local time is not stated: that of the time zone, or null. */
export function offsetInZone({ context }: RecordImport, at: EpochMs): number | null {
  return context.timeZone === null || !Number.isFinite(at) ? null : zoneOffset(context.timeZone, at)
}
