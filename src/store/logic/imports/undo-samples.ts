/** Undoes the changes that an import made to samples. */
import { dailyUpdated } from '../../../catalogue/event-types.ts'
import type { UserId } from '../../../core/ids.ts'
import { type SampleColumns, type SeriesKey, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { joinColumns, rowAtOrAfter, sortColumns } from '../../chunk/columns.ts'
import { eventResource } from '../events/outbox.ts'
import { requireProgress, unpackSamples } from '../rows/damage.ts'
import { OUTBOX } from '../rows/tables.ts'
import { restorable } from '../samples/mixed.ts'
import { restoreRows, type SampleRow } from '../samples/restore.ts'
import { seriesKey } from '../samples/series.ts'
import { one, type Steps } from '../steps.ts'
import { ReplacedSamples } from './replaced-samples.ts'
import type { ImportRow, Undoing } from './undoing.ts'

interface SampleEvent {
  readonly sequence: number
  readonly type: string
  readonly series_id: number
  readonly key: SeriesKey
  readonly samples: SampleColumns
}

/** Undoes an import's samples. Its events contain its samples with their values. The samples of each series are consecutive. */
export function* undoSamples(undoing: Undoing, row: ImportRow, importId: string): Steps<void> {
  const { userId, counts, outbox, touches, removals } = undoing
  const replaced = new ReplacedSamples(userId, importId)
  let superseded: SampleColumns[] = []
  let seriesId = -1
  let event = yield* nextSampleEvent(userId, row.first_sequence, row)
  while (event) {
    if (event.series_id !== seriesId) {
      yield* handOn(undoing, seriesId, superseded, replaced)
      superseded = []
    }
    seriesId = event.series_id
    // also of samples that it added: an undone remap may have handed on what it had removed
    const former = yield* replaced.of(seriesId)
    const before = yield* restorable(userId, seriesId, former)
    const after = event.samples
    const outcome = yield* restoreRows(userId, seriesId, after, start => findRow(before, start))
    const { resource } = event.key
    const [from, to] = [startAt(after, 0), startAt(after, after.n - 1)]
    if (outcome.removed + outcome.restored.n > 0) touches.samples(resource, from, to)
    removals.samples(seriesId, event.key, { n: outcome.removed, from, to })
    counts.add('removed', resource, outcome.removed)
    counts.add('kept', resource, outcome.kept)
    counts.add('restored', resource, outcome.restored.n)
    yield* outbox.samples(dailyUpdated(eventResource(resource)), { seriesId, resource }, outcome.restored)
    if (outcome.superseded.n > 0) superseded.push(outcome.superseded)
    event = yield* nextSampleEvent(userId, event.sequence, row)
  }
  yield* handOn(undoing, seriesId, superseded, replaced)
}

/** Hands on samples that have changed since the import wrote them. */
function* handOn(
  { successors }: Undoing,
  seriesId: number,
  superseded: readonly SampleColumns[],
  replaced: ReplacedSamples,
): Steps<void> {
  if (superseded.length === 0) return
  const before = yield* replaced.of(seriesId)
  const brought = sortColumns(joinColumns(superseded), () => {})
  yield* successors.samples(seriesId, brought, start => findRow(before, start))
}

const NEXT_EVENT = OUTBOX.query('WHERE user_id=? AND sequence>? AND sequence<=? ORDER BY sequence LIMIT 1')

/** Returns the import's first sample event whose number is greater than `after`. */
function* nextSampleEvent(userId: UserId, after: number, row: ImportRow): Steps<SampleEvent | undefined> {
  for (let last = after; ; ) {
    const event = yield* one(NEXT_EVENT, [userId, last, row.last_sequence])
    if (!event) return undefined
    const { sequence, type, series_id, data } = event
    requireProgress(sequence > last, 'events')
    last = sequence
    if (series_id === null || !data) continue
    const key = yield* seriesKey(userId, series_id)
    return { sequence, type, series_id, key, samples: unpackSamples(data, () => OUTBOX.damageLocation(event)) }
  }
}

function findRow(columns: SampleColumns | null, start: EpochMs): SampleRow | null {
  if (!columns) return null
  const row = rowAtOrAfter(columns, start)
  return row < columns.n && columns.start[row] === start ? { columns, row } : null
}
