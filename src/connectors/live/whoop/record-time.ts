/** A WHOOP record's time. */
import { type EpochMs, parseDateTime, readInstant } from '../../../core/time.ts'
import { asText, type JsonObject } from '../../shared/json-fields.ts'
import { sleepType } from '../../shared/summaries.ts'

export interface RecordTime {
  readonly start: EpochMs
  /** The record's end; null while the record is in progress. */
  readonly end: EpochMs | null
  /** Offset in seconds east of UTC; null if unknown. */
  readonly offset: number | null
}

/** Returns a record's times, or null if it has no valid ones. */
export function readRecordTime(record: JsonObject): RecordTime | null {
  const start = readInstant(record['start'])
  const end = readInstant(record['end']) ?? null
  if (start === undefined || (end !== null && end < start)) return null
  return { start, end, offset: parseOffset(asText(record['timezone_offset'])) }
}

/** Returns a sleep's type, as used in summaries. */
export function classifySleep(
  { start, end }: { readonly start: EpochMs; readonly end: EpochMs },
  isNap: boolean,
): string {
  if (isNap) return 'acknowledged_nap'
  return sleepType(end - start)
}

/** Reads `+hh:mm`, `-hh:mm` or `Z`, which here means the person's offset, not an unknown one. */
function parseOffset(text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^[Zz]$|^[+-]00:?00$/.test(text)) return 0
  if (!/^[+-]/.test(text)) return null
  const offset = parseDateTime(`2000-01-01T00:00:00${text}`)?.offset
  return typeof offset === 'number' ? offset : null
}
