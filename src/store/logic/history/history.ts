/** Reads how a user's data came into the store: events, imports, and records of live providers. Changes nothing. */
import { dailyCreated, dailyUpdated } from '../../../catalogue/event-types.ts'
import type { UserId } from '../../../core/ids.ts'
import type { SeriesKey, SummaryKind } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { rowAtOrAfter, sliceColumns } from '../../chunk/columns.ts'
import type {
  Announcement,
  ImportedSummary,
  KeptEvents,
  PastImport,
  PastPulls,
  PulledRecord,
  ReplacedSamples,
  SampleArrival,
  SampleArrivals,
  SummaryVersion,
} from '../../history.ts'
import type { SampleQuery } from '../../sample.ts'
import { FIND_COUNTERS } from '../events/row.ts'
import { IMPORTS_OF_USER, importedFacts } from '../imports/imports.ts'
import { broughtIn } from '../live/brought.ts'
import { part, read } from '../part.ts'
import { requireProgress, storedJson, unpackSamples } from '../rows/damage.ts'
import { IMPORTS, IMPORTS_BEFORE, LIVE_RECORDS, OUTBOX, PULLS } from '../rows/tables.ts'
import { listSeries, seriesKey } from '../samples/series.ts'
import { type SummaryRow, storedSummary } from '../samples/summaries.ts'
import { many, one, type Steps } from '../steps.ts'

/** Number of events read at a time. */
const EVENTS = 200
/** Number of records read at a time. */
const RECORDS = 500

export class HistoryStore extends part({
  samples: read(sampleArrivals),
  imports: read(pastImports),
  importedSummaries: read(importedSummaries),
  recordsOfSamples: read(recordsOfSamples),
  recordsOfSummaries: read(recordsOfSummaries),
  pulls: read(pastPulls),
  replacedSamples: read(replacedSamples),
  summaryVersions: read(summaryVersions),
  keptEvents: read(keptEvents),
}) {}

const SAMPLE_EVENTS = OUTBOX.query(
  dialect =>
    `WHERE user_id=? AND sequence>? AND CAST(series_id AS text) IN (${dialect.listed}) ORDER BY sequence LIMIT ${EVENTS}`,
)

/** Returns the next events with samples of the query, after the event `after`. Without `to`, from any time on. */
function* sampleArrivals(userId: UserId, query: SampleQuery, after: number): Steps<SampleArrivals> {
  const series = new Map((yield* listSeries(userId, query)).map(({ id, key }) => [id, key]))
  if (series.size === 0) return { arrivals: [], next: null }
  const rows = yield* many(SAMPLE_EVENTS, [userId, after, JSON.stringify([...series.keys()].map(String))])
  const imports = yield* many(IMPORTS_OF_USER, [userId])
  const arrivals: SampleArrival[] = []
  for (const row of rows) {
    const { sequence, event_id: eventId, at, type, series_id: seriesId, data } = row
    requireProgress(sequence > after, 'events')
    if (data === null || seriesId === null) continue
    const all = unpackSamples(data, () => OUTBOX.damageLocation(row))
    const columns = sliceColumns(all, rowAtOrAfter(all, query.from), rowAtOrAfter(all, query.to + 1))
    if (columns.n === 0) continue
    const by = imports.find(each => each.first_sequence < sequence && sequence <= each.last_sequence)
    arrivals.push({
      sequence,
      eventId,
      at,
      isNew: type.endsWith('.created'),
      importId: by?.import_id ?? null,
      series: series.get(seriesId) as SeriesKey, // the query selects only these
      columns,
    })
  }
  return { arrivals, next: rows.length < EVENTS ? null : (rows.at(-1)?.sequence ?? null) }
}

/** Returns the user's imports, oldest first. */
function* pastImports(userId: UserId): Steps<PastImport[]> {
  const rows = yield* many(IMPORTS_OF_USER, [userId])
  const floor = (yield* one(FIND_COUNTERS, [userId]))?.event_floor ?? 0
  return rows
    .map(row => ({
      importId: row.import_id,
      at: row.at,
      format: row.format,
      undoneAt: row.undone_at,
      ...importedFacts(row, () => IMPORTS.damageLocation(row)),
      // events of imports that can be undone are never removed
      hasEvents: row.undone_at === null || row.first_sequence >= floor,
    }))
    .sort((a, b) => a.at - b.at)
}

const SUMMARIES_BEFORE = IMPORTS_BEFORE.query(
  dialect => `WHERE user_id=? AND kind='summary' AND item IN (${dialect.listed})`,
)

/** Returns the versions of these summaries that imports wrote. */
function* importedSummaries(userId: UserId, kind: SummaryKind, ids: readonly string[]): Steps<ImportedSummary[]> {
  const items = JSON.stringify(ids.map(id => `${kind}/${id}`))
  return (yield* many(SUMMARIES_BEFORE, [userId, items])).flatMap(({ import_id: importId, item, rev }) =>
    rev === null ? [] : [{ importId, id: item.slice(kind.length + 1), version: rev }],
  )
}

const RECORDS_IN_RANGE = LIVE_RECORDS.query('WHERE user_id=? AND last_at>=? AND first_at<=?')

/** Returns the live providers' records with samples of the query. */
function* recordsOfSamples(userId: UserId, { resource, from, to }: SampleQuery): Steps<PulledRecord[]> {
  const found: PulledRecord[] = []
  const keys = new Map<number, SeriesKey>()
  for (const row of yield* many(RECORDS_IN_RANGE, [userId, from, to])) {
    const { samples } = broughtIn(row)
    const own: { series: SeriesKey; starts: readonly EpochMs[] }[] = []
    for (const [number, starts] of samples) {
      const series = keys.get(number) ?? (yield* seriesKey(userId, number))
      keys.set(number, series)
      const within = starts.filter(start => start >= from && start <= to)
      if (series.resource === resource && within.length > 0) own.push({ series, starts: within })
    }
    const { provider, collection, record_id: recordId } = row
    if (own.length > 0) found.push({ provider, collection, recordId, samples: own, summaries: [] })
  }
  return found
}

const NEXT_RECORDS = LIVE_RECORDS.query(
  'WHERE user_id=? AND provider=? AND (collection, record_id)>(?,?) ORDER BY collection, record_id LIMIT ?',
)

/** Returns the records of a live provider that contain any of these summaries. */
function* recordsOfSummaries(
  userId: UserId,
  provider: string,
  kind: SummaryKind,
  ids: readonly string[],
): Steps<PulledRecord[]> {
  const wanted = new Set(ids)
  const found: PulledRecord[] = []
  for (let after: readonly [string, string] = ['', '']; ; ) {
    const rows = yield* many(NEXT_RECORDS, [userId, provider, ...after, RECORDS])
    for (const row of rows) {
      const summaries = broughtIn(row).summaries.filter(([of, id]) => of === kind && wanted.has(id))
      const { collection, record_id: recordId } = row
      if (summaries.length > 0) {
        found.push({ provider, collection, recordId, samples: [], summaries: summaries as PulledRecord['summaries'] })
      }
    }
    const last = rows.at(-1)
    if (rows.length < RECORDS || !last) return found
    after = [last.collection, last.record_id]
  }
}

const PULLS_OF_USER = PULLS.query('WHERE user_id=?')

/** Returns what was pulled for the user, by provider and resource. */
function* pastPulls(userId: UserId): Steps<PastPulls[]> {
  return (yield* many(PULLS_OF_USER, [userId])).map(({ provider, resource, last_attempt_at: lastAttemptAt }) => ({
    provider,
    resource,
    lastAttemptAt,
  }))
}

const SAMPLES_BEFORE = IMPORTS_BEFORE.query(
  dialect => `WHERE user_id=? AND kind='samples' AND item IN (${dialect.listed})`,
)

/** Returns the samples of the query that imports replaced, unless the import was undone. */
function* replacedSamples(userId: UserId, query: SampleQuery): Steps<ReplacedSamples[]> {
  const series = new Map((yield* listSeries(userId, query)).map(({ id, key }) => [`${id}`, key]))
  if (series.size === 0) return []
  const found: ReplacedSamples[] = []
  for (const row of yield* many(SAMPLES_BEFORE, [userId, JSON.stringify([...series.keys()])])) {
    const { data, import_id: importId, item } = row
    if (data === null) continue
    const all = unpackSamples(data, () => IMPORTS_BEFORE.damageLocation(row))
    const columns = sliceColumns(all, rowAtOrAfter(all, query.from), rowAtOrAfter(all, query.to + 1))
    // the query selects only these series
    if (columns.n > 0) found.push({ importId, series: series.get(item) as SeriesKey, columns })
  }
  return found
}

const SUMMARY_EVENTS = OUTBOX.query(
  dialect => `WHERE user_id=? AND sequence>? AND type IN (${dialect.listed}) ORDER BY sequence LIMIT ${EVENTS}`,
)
const SUMMARIES_REPLACED = IMPORTS_BEFORE.query("WHERE user_id=? AND kind='summary'")

/** Returns the earlier versions of a user's summaries of one kind that events and imports keep. */
function* summaryVersions(userId: UserId, kind: SummaryKind): Steps<SummaryVersion[]> {
  const found: SummaryVersion[] = []
  const types = JSON.stringify([dailyCreated(kind), dailyUpdated(kind)])
  for (let after = 0; ; ) {
    const rows = yield* many(SUMMARY_EVENTS, [userId, after, types])
    for (const row of rows) {
      const { document, ...told } = storedJson<SummaryRow & { readonly document: unknown }>(row.document ?? '{}', () =>
        OUTBOX.damageLocation(row),
      )
      const version = { ...told, document: JSON.stringify(document ?? {}) } as SummaryRow
      found.push({ summary: storedSummary(userId, kind, version), replacedBy: null })
    }
    const last = rows.at(-1)
    if (rows.length < EVENTS || !last) break
    requireProgress(last.sequence > after, 'events')
    after = last.sequence
  }
  for (const row of yield* many(SUMMARIES_REPLACED, [userId])) {
    if (row.document === null || !row.item.startsWith(`${kind}/`)) continue
    const before = storedJson<SummaryRow>(row.document, () => IMPORTS_BEFORE.damageLocation(row))
    found.push({ summary: storedSummary(userId, kind, before), replacedBy: row.rev })
  }
  return found
}

const ANNOUNCEMENTS = OUTBOX.query("WHERE user_id=? AND type LIKE 'historical.%' ORDER BY sequence")
const FIRST_KEPT = OUTBOX.query('WHERE user_id=? AND sequence>? ORDER BY sequence LIMIT 1')

/** Returns which events are kept, and those that announced data that they do not contain. */
function* keptEvents(userId: UserId): Steps<KeptEvents> {
  const floor = (yield* one(FIND_COUNTERS, [userId]))?.event_floor ?? 0
  const first = floor === 0 ? undefined : yield* one(FIRST_KEPT, [userId, floor])
  const announcements: Announcement[] = []
  for (const row of yield* many(ANNOUNCEMENTS, [userId])) {
    const { provider } = storedJson<{ readonly provider?: string }>(row.document ?? '{}', () =>
      OUTBOX.damageLocation(row),
    )
    const name = row.type.split('.')[2]
    if (name !== undefined && provider !== undefined) announcements.push({ name, provider, at: row.at })
  }
  // without a newer event, the last removal is not known better than by the clock
  return { since: floor === 0 ? null : (first?.at ?? Number.POSITIVE_INFINITY), announcements }
}
