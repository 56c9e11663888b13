/** Shows how a result was computed: the stages, the data that was read, and which source each group used and why. */
import type { ResponseOf } from '../../client/client.ts'
import { getOrInsert } from '../../core/maps.ts'
import { formatCount } from '../../core/text.ts'
import { renderTable, type TableScreen } from '../../output/text-table.ts'
import { sizeText } from '../../output/throughput.ts'
import type { Cell } from '../../output/view.ts'
import { fields, type View, view } from '../../output/view.ts'
import { toCell } from '../../table/cells.ts'

export type Explanation = ResponseOf<'aggregate.explain'>
type Result = Explanation['results'][number]

/** One row of csv and ndjson: a source of a group, or a row that another priority would change. */
export type ExplainRow = Readonly<Record<string, unknown>>

/** Returns the rows for csv and ndjson: the changed rows if there is a diff, otherwise one row for each source of each group. */
export function explainView({ results }: Explanation): View<ExplainRow> {
  const isOne = results.length === 1
  const rows = results.flatMap((result, query) => explainRows(result).map(row => (isOne ? row : { query, ...row })))
  const names = new Set(rows.length > 0 ? rows.flatMap(row => Object.keys(row)) : explainHead(results, isOne))
  const columns = [...names].map(name => [name, (row: ExplainRow) => toCell(row[name])] as const)
  return view(rows, Object.fromEntries(columns))
}

/** Returns the columns for a csv without rows. */
function explainHead(results: Explanation['results'], isOne: boolean): string[] {
  const keys = results.flatMap(({ groups }) => Object.keys(groups[0]?.key ?? {}))
  const isDiff = results.some(({ diff }) => diff !== null)
  const heads = results.flatMap(result => (isBySource(result) ? MERGED : result.merged ? CONTRIBUTIONS : SOURCES))
  const own = isDiff ? [] : [...new Set<string>(heads)]
  return [...(isOne ? [] : ['query']), ...keys, ...own]
}

const SOURCES = ['resource', 'provider', 'source_type', 'rows', 'used', 'reason'] as const

/** The columns that explain the groups of a merged query. */
const CONTRIBUTIONS = [
  'resource',
  'provider',
  'source_type',
  'type',
  'app_id',
  'device_id',
  'rows',
  'used',
  'parts',
  'value',
  'minutes',
  'share',
  'reason',
] as const

/** Returns whether the rows are sources: merged nights and workouts have no groups. */
function isBySource({ table, merged }: Result): boolean {
  return merged !== null && table !== 'timeseries'
}

/** The columns that explain merged nights or workouts. */
const MERGED = [
  'resource',
  'type',
  'provider',
  'source_type',
  'app_id',
  'device_id',
  'rank',
  'rows',
  'parts',
  'reason',
] as const

function explainRows(result: Result): ExplainRow[] {
  const { groups, merged, diff } = result
  if (diff) return diff.rows.map(({ key, before, after }) => changed(key, before, after))
  if (merged && isBySource(result)) return [...merged]
  return groups.flatMap(({ key, sources }) => sources.map(source => ({ ...key, ...source })))
}

/** Returns the text for a person, with one section for each query. */
export function explainText({ results }: Explanation, screen: TableScreen): string {
  const parts = results.map((result, query) => {
    const title = results.length === 1 ? '' : `Query ${query}\n\n`
    return `${title}${oneText(result, screen)}`
  })
  return parts.join('\n')
}

function oneText(result: Result, screen: TableScreen): string {
  const { table, window, stages, reads, groups, implausible = [], merged, sessions, diff } = result
  const total = stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  const sections = [
    `Table ${table}, from ${window.from} (inclusive) to ${window.to} (exclusive), in local time.\n`,
    titled(
      `Stages, ${total.toFixed(1)} ms in total`,
      explainTable(
        stages,
        { stage: each => each.stage, milliseconds: each => Number(each.milliseconds.toFixed(2)) },
        screen,
      ),
    ),
    titled(
      'Data read',
      explainTable(
        reads,
        {
          ...fields<Result['reads'][number]>('resource', 'provider', 'source_type', 'type', 'chunks', 'rows'),
          size: each => sizeText(each.bytes),
        },
        screen,
        'Nothing: the user has no data in this timeframe.',
      ),
    ),
  ]
  if (merged) sections.push(titled('What each source contributes', mergedText(merged, screen)))
  if (!isBySource(result)) sections.push(titled('Sources of each group', groupsText(groups, screen)))
  if (implausible.length > 0) sections.push(implausibleText(implausible))
  if (sessions.length > 0) sections.push(titled('Stored sessions of merged rows', sessionsText(sessions, screen)))
  if (diff) sections.push(titled(`With --diff ${diff.priority.join(',')}`, diffText(diff, screen)))
  return sections.join('\n')
}

function mergedText(merged: NonNullable<Result['merged']>, screen: TableScreen): string {
  const lines = merged.map((each): ExplainRow => ({ ...each }))
  if (isTooWide(lines, screen)) return notedTable(lines, screen)
  return explainTable(lines, byName(lines), screen, 'No sources.')
}

function sessionsText(sessions: Result['sessions'], screen: TableScreen): string {
  const lines = sessions.flatMap(({ index, role, members }) =>
    members.map(
      ({ provider, source_type: type, start, end, use, fields: filled, reason }, i): ExplainRow => ({
        index: i === 0 ? index : null,
        ...(role !== null && { role: i === 0 ? role : null }),
        source: `${provider} ${type}`,
        start,
        end,
        use: use === 'fields' ? filled.join(', ') : use,
        reason,
      }),
    ),
  )
  return isTooWide(lines, screen) ? notedTable(lines, screen) : explainTable(lines, byName(lines), screen)
}

function groupsText(groups: Result['groups'], screen: TableScreen): string {
  const used = groups.reduce((sum, { rows_used: rows }) => sum + rows, 0)
  const dropped = groups.reduce((sum, { rows_dropped: rows }) => sum + rows, 0)
  const lines = groups.flatMap(({ key, sources }) =>
    sources.map((source, i): ExplainRow => ({ ...(i === 0 ? key : blank(key)), ...sourceCells(source) })),
  )
  const table = isTooWide(lines, screen)
    ? notedTable(lines, screen)
    : explainTable(lines, byName(lines), screen, 'No groups.')
  const count = (rows: number) => `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`
  return `${table}${count(used)} used, ${count(dropped)} dropped.\n${kindsText(groups)}`
}

type GroupSource = Result['groups'][number]['sources'][number]

/** Returns a source's cells. A merge's own table has the reasons for the ranks of the sources that it uses. */
function sourceCells({ used, reason, ...source }: GroupSource): ExplainRow {
  const { resource, provider, source_type: type, app_id: app, device_id: device, rows, parts, minutes, share } = source
  if (parts === undefined) return { ...source, used: used ? 'yes' : 'no', reason }
  return {
    resource,
    source: [provider, type, app, device].filter(name => name != null).join(' '),
    rows,
    parts,
    value: source.value ?? null,
    minutes: minutes == null ? null : Number(minutes.toFixed(1)),
    share: share == null ? null : `${(share * 100).toFixed(1)} %`,
    reason: used ? null : reason,
  }
}

/** Returns a line for each resource of which values of several kinds were used. */
function kindsText(groups: Result['groups']): string {
  const resources = new Map<string, Map<string, number>>()
  for (const { resource, kind, rows } of groups.flatMap(({ kinds }) => kinds)) {
    const kinds = getOrInsert(resources, resource, () => new Map<string, number>())
    kinds.set(kind, (kinds.get(kind) ?? 0) + rows)
  }
  const mixed = [...resources].filter(([, kinds]) => kinds.size > 1)
  return mixed
    .map(([resource, kinds]) => {
      const counts = [...kinds].map(([kind, rows]) => `${kind} (rows: ${formatCount(rows)})`)
      return `Kinds of ${resource}: ${counts.join(', ')}.\n`
    })
    .join('')
}

/** Returns a line for each resource with samples outside its limits. */
function implausibleText(implausible: NonNullable<Result['implausible']>): string {
  const lines = implausible.map(({ resource, rows, used, reason }) => {
    const what = rows === 1 ? '1 sample is' : `${formatCount(rows)} samples are`
    const done = used ? 'used' : 'left out'
    return `${resource}: ${what} ${reason}, and ${done}.\n`
  })
  return lines.join('')
}

function isTooWide(lines: readonly ExplainRow[], screen: TableScreen): boolean {
  const [, rule = ''] = explainTable(lines, byName(lines), {}).split('\n')
  return screen.width !== undefined && rule.length > screen.width
}

/** Puts the reasons below the table as numbered notes, because a narrow column would cut them off. */
function notedTable(lines: readonly ExplainRow[], screen: TableScreen): string {
  const reasons = [...new Set(lines.flatMap(line => (line['reason'] === null ? [] : String(line['reason']))))]
  const numberOf = (reason: unknown) => (reason === null ? null : reasons.indexOf(String(reason)) + 1)
  const numbered = lines.map(line => ({ ...line, reason: numberOf(line['reason']) }))
  const notes = reasons.map((reason, i) => `Reason ${i + 1}: ${reason}\n`)
  return `${explainTable(numbered, byName(numbered), screen)}\n${notes.join('')}`
}

/** Returns an empty group key, because only the first source in a group shows the key. */
function blank(key: Readonly<Record<string, unknown>>): Record<string, null> {
  return Object.fromEntries(Object.keys(key).map(name => [name, null]))
}

function diffText({ rows }: NonNullable<Result['diff']>, screen: TableScreen): string {
  const lines = rows.map(({ key, before, after }) => changed(key, before, after))
  return explainTable(lines, byName(lines), screen, 'No row would change.')
}

/** Returns the columns that differ, with their values before and after. */
function changed(
  key: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ExplainRow {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    name => !Object.hasOwn(key, name) && before[name] !== after[name],
  )
  const pairs = names.flatMap(name => [
    [`${name} before`, before[name] ?? null],
    [`${name} after`, after[name] ?? null],
  ])
  return { ...key, ...Object.fromEntries(pairs) }
}

function byName(rows: readonly ExplainRow[]): Record<string, (row: ExplainRow) => Cell> {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  return Object.fromEntries(names.map(name => [name, (row: ExplainRow) => toCell(row[name])]))
}

function explainTable<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  screen: TableScreen,
  empty = 'None.',
): string {
  return renderTable(view(rows, columns, empty), screen)
}

function titled(title: string, text: string): string {
  return `${title}\n\n${text}`
}
