/** Undoes the samples of an import. */
import { dailyUpdated } from '../../../catalogue/event-types.ts'
import type { UserId } from '../../../core/ids.ts'
import { type SampleColumns, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { joinColumns, rowAtOrAfter, sortColumns } from '../../chunk/columns.ts'
import { requireProgress, samplesOf } from '../checksums/damage.ts'
import { IMPORTS_BEFORE, OUTBOX } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { eventResource } from '../events/outbox.ts'
import { restoreRows, type SampleRow } from '../samples/restore.ts'
import { seriesKey } from '../samples/series.ts'
import { beforeRows } from './imports.ts'
import type { ImportRow, Undoing } from './undoing.ts'

/** The samples that the import replaced, one series in memory at a time. */
class ReplacedSamples {
  private seriesId = -1
  private columns: SampleColumns | null = null
  private places: Map<string, number[]> | null = null
  private readonly db: Connection
  private readonly userId: UserId
  private readonly importId: string

  constructor(db: Connection, userId: UserId, importId: string) {
    this.db = db
    this.userId = userId
    this.importId = importId
  }

  /** Returns them ascending by start, or null if the series had none. */
  of(seriesId: number): SampleColumns | null {
    if (seriesId === this.seriesId) return this.columns
    this.places ??= this.read()
    const parts = (this.places.get(`${seriesId}`) ?? []).flatMap(ord => {
      const row = IMPORTS_BEFORE.get(this.db, AT, this.userId, this.importId, ord)
      return row?.data ? [samplesOf(row.data, () => IMPORTS_BEFORE.placeOf(row))] : []
    })
    this.seriesId = seriesId
    this.columns = parts.length === 0 ? null : sortColumns(joinColumns(parts), () => {})
    return this.columns
  }

  /** Returns which rows hold the samples of each series, by the number of the series. */
  private read(): Map<string, number[]> {
    const places = new Map<string, number[]>()
    for (const { kind, item, ord } of beforeRows(this.db, this.userId, this.importId)) {
      if (kind === 'samples') places.set(item, [...(places.get(item) ?? []), ord])
    }
    return places
  }
}

const AT = 'WHERE user_id=? AND import_id=? AND ord=?'

interface SampleEvent {
  readonly type: string
  readonly series_id: number
  readonly resource: string
  readonly samples: SampleColumns
}

/**
 * Undoes the samples of an import. Its own events say which samples it brought, and with which values; those of one series follow each
 * other.
 */
export function undoSamples(undoing: Undoing, row: ImportRow, importId: string): void {
  const { db, userId, counts, outbox, successors, touches } = undoing
  const replaced = new ReplacedSamples(db, userId, importId)
  let superseded: SampleColumns[] = []
  let seriesId = -1
  const handOn = (): void => {
    if (superseded.length === 0) return
    const before = replaced.of(seriesId)
    successors.samples(
      seriesId,
      sortColumns(joinColumns(superseded), () => {}),
      start => rowOf(before, start),
    )
    superseded = []
  }
  for (const event of sampleEvents(db, userId, row)) {
    if (event.series_id !== seriesId) handOn()
    seriesId = event.series_id
    const before = event.type.endsWith('.updated') ? replaced.of(seriesId) : null
    const after = event.samples
    const outcome = restoreRows(db, userId, seriesId, after, start => rowOf(before, start))
    if (outcome.removed + outcome.restored.n > 0) {
      touches.samples(event.resource, startAt(after, 0), startAt(after, after.n - 1))
    }
    counts.add('removed', event.resource, outcome.removed)
    counts.add('kept', event.resource, outcome.kept)
    counts.add('restored', event.resource, outcome.restored.n)
    const { resource } = event
    outbox.samples(dailyUpdated(eventResource(resource)), { seriesId, resource }, outcome.restored)
    if (outcome.superseded.n > 0) superseded.push(outcome.superseded)
  }
  handOn()
}

function* sampleEvents(db: Connection, userId: UserId, row: ImportRow): Generator<SampleEvent> {
  const tail = 'WHERE user_id=? AND sequence>? AND sequence<=? ORDER BY sequence LIMIT 1'
  for (let sequence = row.first_sequence; ; ) {
    const event = OUTBOX.get(db, tail, userId, sequence, row.last_sequence)
    if (!event) return
    requireProgress(event.sequence > sequence, 'events')
    sequence = event.sequence
    const { type, series_id, data } = event
    if (series_id === null || !data) continue
    const { resource } = seriesKey(db, userId, series_id)
    yield { type, series_id, resource, samples: samplesOf(data, () => OUTBOX.placeOf(event)) }
  }
}

function rowOf(columns: SampleColumns | null, start: EpochMs): SampleRow | null {
  if (!columns) return null
  const row = rowAtOrAfter(columns, start)
  return row < columns.n && columns.start[row] === start ? { columns, row } : null
}
