/** Reads the nights or workouts in a time range: as stored, or merged, so that what several sources recorded is one item. */
import { call, type ResponseOf } from '../../api/call.ts'
import { type Load, useLoader } from '../../api/use-call.ts'
import type { View } from '../../parts/chart/series.ts'
import { DAY } from '../../parts/floating.ts'
import { type Batch, notAvailable, type Table, wholeDays } from './merging.ts'
import { sourceText } from './resources.ts'
import { type AnySummary, floatingIn, readSummaries, type SummariesRequest } from './summaries/summaries.ts'

type Explained = ResponseOf<'aggregate.explain'>['results'][number]['sessions'][number]

/** A stored session of a merged night or workout. */
export interface Member<T> {
  /** Null if the session is listed outside the loaded days. */
  readonly stored: T | null
  readonly id: string
  readonly source: string
  /** Whether the item has its times and values, only some fields, or nothing of it. */
  readonly use: Explained['members'][number]['use']
  /** What it fills. */
  readonly fields: readonly string[]
  readonly reason: string
}

export interface Merged<T> {
  /** main_sleep, second_sleep or nap; null for a workout. */
  readonly role: string | null
  /** Best source first. */
  readonly members: readonly Member<T>[]
}

/** A night or workout: a stored one, or one merged from several. */
export interface Session<T> {
  readonly item: T
  readonly merged: Merged<T> | null
}

/** How the sessions of a kind are merged. */
export interface SessionKind<T extends AnySummary> {
  readonly kind: 'sleep' | 'workouts'
  readonly table: string
  /** The table's columns with the fields that they become. */
  readonly columns: Readonly<Record<string, string & keyof T>>
  /** Fields with the times of a session; `index` is the one that is the table's index. */
  readonly start: string & keyof T
  readonly end: string & keyof T
  readonly index: string & keyof T
}

export interface SessionsRequest extends SummariesRequest {
  readonly zone: string | null
  readonly isMerged: boolean
}

/** Loads the sessions in a time range, newest first. Without access to queries, they are not merged. */
export function useSessions<T extends AnySummary>(
  of: SessionKind<T>,
  request: SessionsRequest,
): Load<readonly Session<T>[]> {
  const { userId, view, zone, isMerged } = request
  const key = `${userId} ${of.kind} ${zone} ${view.from} ${view.to} ${isMerged}`
  return useLoader<readonly Session<T>[]>(key, async signal => {
    const merged = isMerged ? await readMerged(of, request, signal).catch(notAvailable) : null
    return merged ?? (await readSummaries<T>({ userId, view }, of.kind, signal)).map(item => ({ item, merged: null }))
  })
}

async function readMerged<T extends AnySummary>(
  of: SessionKind<T>,
  request: SessionsRequest,
  signal: AbortSignal,
): Promise<readonly Session<T>[]> {
  const { userId, view, zone } = request
  const params = { user_id: userId }
  const body = buildQuery(of, request)
  // a member may be listed under another day than the merged night
  const around = { userId, view: { from: view.from - DAY, to: view.to + DAY } }
  const [stored, answer, explanation] = await Promise.all([
    readSummaries<T>(around, of.kind, signal),
    call('aggregate.query', { params, body }, { signal }),
    call('aggregate.explain', { params, body: { query: body } }, { signal }),
  ])
  const explained = explanation.results[0]?.sessions ?? []
  const rows = listRows(answer.results[0]?.table ?? {})
  return rows.flatMap(row => mergeRow(of, row, { stored, explained, zone })).reverse()
}

function buildQuery<T extends AnySummary>({ table, columns }: SessionKind<T>, { view }: SummariesRequest): Batch {
  const named = table === 'sleep' ? ['id', 'role', ...Object.keys(columns)] : Object.keys(columns)
  const select = [{ index: table }, ...named.map(name => ({ [table]: name }))]
  const sources = [{ source: 'source_provider' }, { source: 'source_type' }]
  // the names of the columns are those of the table
  return { timeframe: wholeDays(view), queries: [{ select: [...select, ...sources], merge: true }] } as Batch
}

type Row = Readonly<Record<string, Table[string][number]>>

function listRows(table: Table): readonly Row[] {
  const columns = Object.entries(table)
  return (columns[0]?.[1] ?? []).map((_, i) =>
    Object.fromEntries(columns.map(([name, cells]) => [name, cells[i] ?? null])),
  )
}

interface Known<T> {
  readonly stored: readonly T[]
  readonly explained: readonly Explained[]
  readonly zone: string | null
}

function mergeRow<T extends AnySummary>(of: SessionKind<T>, row: Row, known: Known<T>): readonly Session<T>[] {
  const { stored, explained, zone } = known
  const rowTime = Date.parse(`${row['index']}Z`) / 1000
  const isFrom = (provider: string, type: string) => provider === row['source_provider'] && type === row['source_type']
  const session = explained.find(
    ({ index, members }) =>
      Date.parse(`${index}Z`) / 1000 === rowTime &&
      members.some(each => each.use === 'values' && isFrom(each.provider, each.source_type)),
  )
  const grouped = new Set(explained.flatMap(({ members }) => members.map(({ id }) => id)))
  const find = (id: string) => stored.find(each => each.id === id)
  const timeOf = (item: T, field: keyof T & string) => floatingIn(item, `${item[field]}`, zone)
  const values = session?.members.filter(({ use }) => use === 'values') ?? []
  const parts = values.flatMap(({ id }) => find(id) ?? [])
  const byTime = (field: keyof T & string) => [...parts].sort((a, b) => timeOf(a, field) - timeOf(b, field))
  // the table of workouts has no IDs, and a record's offset may differ from that of its document, so the nearest one is taken
  const distance = (each: T) => Math.abs(timeOf(each, of.index) - rowTime)
  const alone = () =>
    stored
      .filter(each => !grouped.has(each.id) && isFrom(each.source.provider, each.source.type))
      .filter(each => distance(each) < DAY)
      .sort((a, b) => distance(a) - distance(b))[0]
  const item = session ? byTime(of.end).at(-1) : (find(`${row['id']}`) ?? alone())
  if (!item) return []
  const merged: Record<string, unknown> = { ...item }
  if (session) {
    for (const [column, field] of Object.entries(of.columns)) merged[field] = row[column] ?? null
    merged[of.start] = byTime(of.start)[0]?.[of.start]
  }
  const role = typeof row['role'] === 'string' ? row['role'] : null
  const members = (session?.members ?? []).map(({ id, provider, source_type: type, use, fields, reason }) => ({
    ...{ id, use, fields, reason, stored: find(id) ?? null, source: sourceText({ provider, type }) },
  }))
  return [{ item: merged as T, merged: { role, members } }] // the fields of a stored one
}

/** Returns the floating times of a night or workout. */
export function timesOf<T extends AnySummary>({ start, end }: SessionKind<T>, item: T, zone: string | null): View {
  return { from: floatingIn(item, `${item[start]}`, zone), to: floatingIn(item, `${item[end]}`, zone) }
}

/** Returns the name of an item's source, or of all sources that contribute to it. */
export function sessionSources<T extends AnySummary>({ item, merged }: Session<T>): string {
  const used = merged?.members.filter(({ use }) => use !== 'none').map(({ source }) => source) ?? []
  return used.length === 0 ? sourceText(item.source) : [...new Set(used)].join(', ')
}

/** Returns the source that filled a column of a merged item; null if the column is from the same source as the times. */
export function filledBy<T>(merged: Merged<T> | null, column: string): string | null {
  return merged?.members.find(({ use, fields }) => use === 'fields' && fields.includes(column))?.source ?? null
}
