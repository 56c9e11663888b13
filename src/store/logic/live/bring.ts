/** Stores one page of a pull in one transaction: its data, the data that its records had before, and the pull's progress. */
import type { SampleBatch } from '../../../core/sample.ts'
import { joinColumns } from '../../chunk/columns.ts'
import type { LiveKey } from '../../live/connections.ts'
import type { LiveOutcome, LiveRecord, LiveWrite } from '../../live/pulls.ts'
import { LIVE_CONNECTIONS, LIVE_RECORDS, type LiveRecordRow } from '../rows/tables.ts'
import { writeHeld } from '../samples/data-writer.ts'
import { type OriginBatch, originName, splitByOrigin } from '../samples/origins.ts'
import { internSeries } from '../samples/series.ts'
import { command, many, type Steps, send } from '../steps.ts'
import { requireActive } from '../users/users.ts'
import { broughtBy, broughtColumns } from './brought.ts'
import { addRaw } from './raw.ts'
import { type RecordChange, removeFormer } from './removal.ts'
import { announcedIn, findLeased, isConnected, progressed, progressIn } from './rows.ts'

const KNOWN_RECORDS = LIVE_RECORDS.query(
  dialect => `WHERE user_id=? AND provider=? AND collection=? AND record_id IN (${dialect.listed})`,
)
const DROP_RECORD = command('DELETE FROM live_record WHERE user_id=? AND provider=? AND collection=? AND record_id=?')

/** Stores one page. Throws ServiceError `user_not_found`. */
export function* bring(key: LiveKey, write: LiveWrite): Steps<LiveOutcome> {
  const { userId, provider } = key
  yield* requireActive(userId)
  const row = yield* findLeased(key)
  if (row?.leased_by !== write.holder || !(yield* isConnected(key))) return { kind: 'lost' }
  const changes = yield* changesIn(key, write)
  const removed = yield* removeFormer(key, write, changes)
  const records = changes.map(({ record }) => record)
  const announced = announcedIn(row)
  const { collection, progress, follows } = write
  const states = progress === undefined ? progressIn(row) : { ...progressIn(row), [collection]: progress }
  const { dueAt, completed: complete } = follows?.(states) ?? { dueAt: row.due_at, completed: [] }
  const completed = complete.filter(({ resource }) => !announced.includes(resource))
  const outcome = yield* writeHeld(userId, {
    at: write.at,
    teamId: write.teamId,
    batches: bySeries([...records.flatMap(({ batches }) => batches), ...write.batches]),
    summaries: records.flatMap(({ summaries }) => summaries),
    streams: records.flatMap(({ streams }) => streams),
    events: { kind: write.events },
    importing: null,
    connections: [],
    pull: write.pull,
    devices: [],
    completed,
    consumeToken: null,
  })
  // no token is consumed, so nothing else is possible
  if (outcome.kind !== 'written') return { kind: 'lost' }
  yield* noteRecords(key, write, changes)
  yield* addRaw({ userId, provider }, write.raw)
  const names = [...announced, ...completed.map(({ resource }) => resource)]
  yield* LIVE_CONNECTIONS.replace({ ...progressed(row, states, dueAt), announced: JSON.stringify(names) })
  return { kind: 'written', report: outcome.report, removed }
}

/** Returns the records that differ from their last version, without duplicates. */
function* changesIn({ userId, provider }: LiveKey, { collection, records }: LiveWrite): Steps<RecordChange[]> {
  if (records.length === 0) return []
  // if a record appears twice, the later version counts
  const latest = new Map(records.map(record => [record.id, record]))
  const rows = yield* many(KNOWN_RECORDS, [userId, provider, collection, JSON.stringify([...latest.keys()])])
  const known = new Map(rows.map(row => [row.record_id, row]))
  const changed = [...latest.values()].filter(record => isChanged(record, known.get(record.id)))
  const numbers = new Map<string, number>()
  const numberOf = (batch: OriginBatch): number | undefined => numbers.get(nameOf(batch))
  const changes: RecordChange[] = []
  for (const record of changed) {
    const batches = record.batches.filter(({ n }) => n > 0).flatMap(splitByOrigin)
    for (const batch of batches) {
      if (numberOf(batch) !== undefined) continue
      numbers.set(nameOf(batch), yield* internSeries(userId, batch.series, batch.origin))
    }
    // every batch has a number by now
    const samples = batches.map(batch => [numberOf(batch) as number, batch] as const)
    changes.push({ record, former: known.get(record.id), brings: broughtBy(record, samples) })
  }
  return changes
}

function nameOf({ series, origin }: OriginBatch): string {
  return `${JSON.stringify(series)}\n${originName(origin)}`
}

function isChanged({ isDeleted, version }: LiveRecord, known: LiveRecordRow | undefined): boolean {
  return isDeleted ? known !== undefined : known?.version !== version
}

/** Returns one batch per series, so that each chunk is written only once. */
function bySeries(batches: readonly SampleBatch[]): SampleBatch[] {
  const parts = new Map<string, SampleBatch[]>()
  for (const batch of batches) {
    if (batch.n === 0) continue
    const name = JSON.stringify(batch.series)
    const known = parts.get(name)
    if (known) known.push(batch)
    else parts.set(name, [batch])
  }
  return [...parts.values()].map(some => {
    const [first] = some as [SampleBatch] // none of the lists is empty
    return some.length === 1 ? first : { ...joinColumns(some), series: first.series }
  })
}

function* noteRecords(
  { userId, provider }: LiveKey,
  { collection }: LiveWrite,
  changes: readonly RecordChange[],
): Steps<void> {
  for (const { record, former, brings } of changes) {
    if (record.isDeleted) {
      yield* send(DROP_RECORD, [userId, provider, collection, record.id])
      continue
    }
    const row = {
      user_id: userId,
      provider,
      collection,
      record_id: record.id,
      version: record.version,
      ...broughtColumns(brings),
    }
    if (former) yield* LIVE_RECORDS.replace(row)
    else yield* LIVE_RECORDS.insert(row)
  }
}
