/** Shows where a number comes from: the number, its sources, what made it, and what was left out. */
import type { ResponseOf } from '../../../client/client.ts'
import { formatCount } from '../../../core/text.ts'
import { renderTable, type TableScreen } from '../../../output/text-table.ts'
import { type Cell, type View, view } from '../../../output/view.ts'
import { wrapped } from '../../../output/wrap.ts'
import { toCell } from '../../../table/cells.ts'

export type Why = ResponseOf<'aggregate.why'>
type Source = Why['sources'][number]
type WhyRow = Readonly<Record<string, Cell>>

/** Returns the rows for csv and ndjson: one for each sample that counts or, for other tables, for each stored summary. */
export function whyView(why: Why): View<WhyRow> {
  const rows = [...why.samples.map(each => sampleCells(why, each)), ...memberRows(why)]
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  return view(rows, Object.fromEntries(names.map(name => [name, (row: WhyRow) => row[name]])))
}

function sampleCells(why: Why, { source, origin, ...sample }: Why['samples'][number]): WhyRow {
  return { ...cellsOf(sample), ...sourceCells(why.sources[source]), ...originCells(why, origin) }
}

function memberRows(why: Why): WhyRow[] {
  return why.records.flatMap(({ index, role, value, members }) =>
    members.map(({ origin, value: own, ...member }) => ({
      ...{ index, role, value },
      ...cellsOf(member),
      own_value: own,
      ...originCells(why, origin),
    })),
  )
}

function cellsOf(object: object): WhyRow {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, toCell(value)]))
}

function sourceCells(source: Source | undefined): WhyRow {
  const { provider, source_type, app_id, device_id } = source ?? {}
  return { provider, source_type, app_id, device_id }
}

function originCells({ origins }: Why, position: number): WhyRow {
  const { kind, at, import_id, collection, record_id } = origins[position] ?? {}
  return { origin: kind, received_at: at, import_id, collection, record_id }
}

/** Returns the text for a person. It fits a terminal of 80 columns. */
export function whyText(why: Why, screen: TableScreen): string {
  const parts = [
    headText(why),
    why.sources.length === 0 ? '' : `Sources\n\n${sourcesText(why, screen)}`,
    samplesText(why, screen),
    recordsText(why, screen),
    leftOutText(why),
    originsText(why),
    rulesText(why),
  ]
  return wrapped(parts.filter(part => part !== '').join('\n'), screen.width)
}

function headText({ question, value, unit, by_kind: byKind, summary, formula, conversion }: Why): string {
  const shown = (of: Cell) => (of === null ? 'No value' : withUnit(of, unit, question))
  const numbers = byKind.length > 1 ? byKind.map(each => `${each.kind}: ${shown(each.value)}`) : [shown(value)]
  const { function: func, column, period, where, merge, merge_from: from, as_of: asOf } = question
  const decided = from === 'team' ? ' (default of the team)' : ''
  const lines = [
    ...numbers,
    `${func}(${column}), ${period}, local time${where === null ? '' : `, where ${where}`}`,
    `Sources are ${merge ? '' : 'not '}merged${decided}.`,
    ...(asOf === null ? [] : [`Computed from the data that was stored at ${asOf}.`]),
    summary,
    ...(formula === null ? [] : [`Formula: ${formula}`]),
    ...(conversion === null ? [] : [`Conversion: ${conversion.fields.join(' + ')} × ${conversion.factor}`]),
  ]
  return `${lines.join('\n')}\n`
}

/** Returns a value with its unit: `6.1 mmol/L`. A count is followed by what it counts: `2500 steps`. */
function withUnit(value: Cell, unit: string | null, { column }: Why['question']): string {
  const name = unit === 'count' ? (column.split('.')[0] ?? '').replaceAll('_', ' ') : unit
  return name === null ? `${value}` : `${value} ${name}`
}

function sourcesText({ sources, unit }: Why, screen: TableScreen): string {
  const table = renderTable(
    view<Source>(sources, {
      source: each => sourceName(each),
      kind: each => each.kind,
      rows: each => each.rows,
      counted: each => each.rows_used,
      [unit === null ? 'value' : `value (${unit})`]: each => each.value,
      share: each => (each.share === null ? null : `${(each.share * 100).toFixed(1)} %`),
    }),
    screen,
  )
  const reasons = sources.map((each, i) => `${i + 1}. ${sourceName(each)}: ${each.reason}.\n`)
  return `${table}${sources.length > 1 ? `\n${reasons.join('')}` : ''}`
}

function sourceName({ provider, source_type, app_id, device_id, type }: Omit<Source, 'reason'>): string {
  return [provider, source_type, type, app_id && `(app ${app_id})`, device_id && `(device ${device_id})`]
    .filter(Boolean)
    .join(' ')
}

function samplesText({ samples, samples_total: total, sources }: Why, screen: TableScreen): string {
  if (total === 0) return ''
  const table = renderTable(
    view(samples, {
      start: each => each.start,
      end: each => (each.end === each.start ? null : each.end),
      value: each => toCell(each.value),
      counted: each => (each.counted === each.value ? null : toCell(each.counted)),
      kind: each => each.kind,
      source: each => (sources.length > 1 ? each.source + 1 : null),
      origin: each => `[${each.origin + 1}]`,
    }),
    screen,
  )
  return `${listed('Samples', samples.length, total)}\n\n${table}`
}

function recordsText({ records, records_total: total }: Why, screen: TableScreen): string {
  if (total === 0) return ''
  const rows = records.flatMap(({ index, role, value, members }) =>
    members.map((member, i) => ({
      index: i === 0 ? index : null,
      role: i === 0 ? role : null,
      value: i === 0 ? toCell(value) : null,
      source: `${member.provider} ${member.source_type}`,
      own: toCell(member.value),
      use: member.supplies ? 'value' : member.use === 'none' ? 'no' : 'other fields',
      origin: `[${member.origin + 1}]`,
    })),
  )
  const table = renderTable(
    view(rows, {
      index: each => each.index,
      role: each => each.role,
      value: each => each.value,
      source: each => each.source,
      own: each => each.own,
      use: each => each.use,
      origin: each => each.origin,
    }),
    screen,
  )
  const notes = records.flatMap(({ index, members, inputs }) => [
    ...(inputs === null ? [] : [noteOf(index, inputs)]),
    ...(inputs === null && members.length > 1 ? members.map(each => `${memberName(each)}: ${each.reason}`) : []),
  ])
  const notesText = notes.length === 0 ? '' : `\n${notes.map(note => `- ${note}\n`).join('')}`
  return `${listed('Records', records.length, total)}\n\n${table}${notesText}`
}

function memberName({ provider, source_type, start }: Why['records'][number]['members'][number]): string {
  return `${provider} ${source_type}${start === null ? '' : `, ${start}`}`
}

function noteOf(index: string, inputs: NonNullable<Why['records'][number]['inputs']>): string {
  const known = Object.entries(inputs).map(([name, value]) => `${name} ${value ?? 'none'}`)
  return `${index}: ${known.length === 0 ? 'computed from the summaries above' : known.join(', ')}`
}

function listed(what: string, shown: number, total: number): string {
  return shown === total
    ? `${what} that count (${formatCount(total)})`
    : `${what} that count (the first ${formatCount(shown)} of ${formatCount(total)}; --limit lists more)`
}

function leftOutText({ left_out: leftOut, unit, question }: Why): string {
  if (leftOut.length === 0) return 'Nothing was left out.\n'
  const lines = leftOut.map(each => {
    const amount = each.value === null ? '' : `, ${withUnit(each.value, unit, question)}`
    const name = sourceName({ ...each, type: null } as unknown as Source)
    return `- ${name}: ${formatCount(each.rows)} ${each.rows === 1 ? 'row' : 'rows'}${amount}, because ${each.reason} (${each.rule}).\n`
  })
  return `Left out\n\n${lines.join('')}`
}

const ORIGINS: Readonly<Record<Why['origins'][number]['kind'], string>> = {
  import: 'imported',
  pull: 'pulled',
  push: 'pushed by an application',
  simulated: 'from a simulated provider',
  unknown: 'origin not kept',
}

function originsText({ origins }: Why): string {
  if (origins.length === 0) return ''
  const lines = origins.map(({ kind, provider, at, import_id, format, sha256, collection, record_id }, i) => {
    const details = [
      provider,
      import_id && `import ${import_id}`,
      format,
      sha256 && `SHA-256 ${sha256}`,
      collection && `collection ${collection}`,
      record_id && `record ${record_id}`,
      at ?? 'time not kept',
    ]
    return `[${i + 1}] ${ORIGINS[kind]}: ${details.filter(Boolean).join(', ')}\n`
  })
  return `Origins\n\n${lines.join('')}`
}

function rulesText({ rules }: Why): string {
  return rules.length === 0 ? '' : `Rules\n\n${rules.map(({ rule, text }) => `- ${rule}: ${text}\n`).join('')}`
}
