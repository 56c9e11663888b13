/** Reads Oura's lists of readings at a fixed interval, such as a night's heart rate. */
import type { TextColumn } from '../../../core/sample.ts'
import { SECOND_MS } from '../../../core/time.ts'
import { asList } from '../../shared/json-fields.ts'
import { readTime } from '../../shared/record-time.ts'
import { numberAt } from '../field-table.ts'
import type { LiveRecordBuilder } from '../page.ts'
import type { OuraDocument } from './document.ts'

export interface Readings {
  /** A document's field: `{interval, items, timestamp}`, where `interval` is the number of seconds between two items. */
  readonly field: string
  readonly resource: string
  readonly text?: Readonly<Partial<Record<TextColumn, string>>>
}

/**
 * Adds a field's readings, and returns their number. `kind` is Oura's name for the collection. The record is null if another collection
 * also has these readings.
 */
export function addReadings(
  { page, view, sourceType }: OuraDocument,
  record: LiveRecordBuilder | null,
  kind: string,
  { field, resource, text = {} }: Readings,
): number {
  const series = view.object(field)
  if (series === undefined || record === null) return 0
  const first = readTime(series['timestamp'], page.asked.timeZone)
  const seconds = numberAt(series, 'interval')
  if (first === undefined || seconds === undefined || seconds <= 0) {
    page.skip(`${kind}.${field} (without times)`)
    return 0
  }
  let read = 0
  for (const [i, value] of asList(series['items']).entries()) {
    // null is a gap
    if (typeof value !== 'number') continue
    const start = first.ms + i * seconds * SECOND_MS
    record.samples.add({ resource, sourceType, start, value, offset: first.offset, text }, `${kind}.${field}`)
    read++
  }
  return read
}
