/** Makes the rows of a table from plain data. */
import type { PlainData, PlainSample, PlainSummary, Row, Value } from './data.ts'
import { buildNight, findHypnogram, MACROS, macro } from './macros.ts'
import { readinessRows } from './readiness.ts'
import {
  columnName,
  isImplausible,
  KIND_OF,
  originOf,
  type Resource,
  resourceFields,
  resourceNamed,
  SOURCE_FIELDS,
} from './resources.ts'
import { LISTS, SUMMARY_OF, TABLES, typed, wallClock } from './tables.ts'

const made = new WeakMap<PlainData, Map<string, readonly Row[]>>()

/** Returns the rows of a table; for the timeseries table, those of the named resources. Queries on the same data share them. */
export function tableRows(data: PlainData, table: string, resources: readonly string[]): readonly Row[] {
  const known = made.get(data) ?? new Map<string, readonly Row[]>()
  made.set(data, known)
  const name = [table, ...resources].join(' ')
  const rows = known.get(name) ?? makeRows(data, table, resources)
  known.set(name, rows)
  return rows
}

function makeRows(data: PlainData, table: string, resources: readonly string[]): readonly Row[] {
  const zone = data.zone ?? 'UTC'
  if (table === 'timeseries') return resources.flatMap(name => sampleRows(data.samples, resourceNamed(name), zone))
  const summaries = newest(data.summaries, each => `${each.kind} ${each.id}`)
  if (table === 'derived_readiness') {
    return readinessRows(summaries, zone).map(({ date, provider, sourceType, cells }) => ({
      ...{ local: date, instant: date, provider, sourceType, cells },
      ...{ resource: null, type: null, stored: 0, lists: new Map() },
    }))
  }
  const { kind } = SUMMARY_OF[table] as NonNullable<(typeof SUMMARY_OF)[string]>
  const listed = summaries.filter(each => each.kind === kind)
  listed.sort((a: PlainSummary, b: PlainSummary) =>
    a.date < b.date ? -1 : a.date > b.date ? 1 : a.atMs - b.atMs || (a.id < b.id ? -1 : 1),
  )
  return listed.flatMap((summary, stored) => summaryRow(summary, table, zone, stored, hypnogramsIn(data)))
}

/** Returns the segments of a night, or null. */
export type FindHypnogram = (night: PlainSummary) => ReturnType<typeof findHypnogram>

export function hypnogramsIn({ summaries }: PlainData): FindHypnogram {
  const cycles = newest(
    summaries.filter(({ kind }) => kind === 'sleep_cycle'),
    ({ id }) => id,
  )
  return night => findHypnogram(night, cycles)
}

/** Returns the row of a summary, or none if it has no index. */
export function summaryRow(
  summary: PlainSummary,
  table: string,
  zone: string,
  stored: number,
  hypnogram: FindHypnogram,
): readonly Row[] {
  const { index } = SUMMARY_OF[table] as NonNullable<(typeof SUMMARY_OF)[string]>
  const local = index(summary, zone)
  if (local === null) return []
  const cells = new Map<string, Value>()
  for (const [name, column] of Object.entries(TABLES[table] as NonNullable<(typeof TABLES)[string]>)) {
    cells.set(name, typed(column.kind, column.read(summary, zone)))
  }
  if (table === 'sleep') {
    for (const name of Object.keys(MACROS))
      cells.set(`macro ${name}`, macro(name, buildNight(summary, zone), hypnogram(summary)))
  }
  const lists = new Map(Object.keys(LISTS).map(name => [name, toList(summary.document[name])]))
  const { provider, sourceType } = summary
  const instant = table === 'profile' ? summary.updatedMs : summary.atMs
  return [{ local, instant, provider, sourceType, resource: null, type: null, stored, cells, lists, summary }]
}

const toList = (raw: unknown): readonly unknown[] | null => (Array.isArray(raw) ? raw : null)

/** Keeps the last of all entries with the same key. */
function newest<T>(list: readonly T[], key: (each: T) => string): T[] {
  return [...new Map(list.map(each => [key(each), each])).values()]
}

function sampleRows(samples: readonly PlainSample[], resource: Resource, zone: string): readonly Row[] {
  const own = samples.filter(each => each.resource === resource.path)
  const typeOf = (sample: PlainSample) => (resource.typed ? sample.type : null)
  const kept = newest(own, each =>
    [each.provider, each.sourceType, typeOf(each), each.startMs, ...originOf(each)].join('\n'),
  )
  const fields = Object.keys(resourceFields(resource))
  return kept.map(sample => {
    const cells = new Map<string, Value>()
    for (const field of fields) {
      const value = fieldValue(sample, resource, field)
      cells.set(columnName(resource, field), value)
      if (field in SOURCE_FIELDS) cells.set(field, value)
    }
    const tags = sample.text['tags']
    return {
      local: wallClock(sample.startMs, sample.offsetSec, zone),
      instant: sample.startMs,
      end: sample.endMs,
      device: sample.text['device_id'] ?? null,
      provider: sample.provider,
      sourceType: sample.sourceType,
      // rows with the same time and source are ordered by path name
      resource: resource.path,
      type: typeOf(sample),
      origin: originOf(sample),
      stored: 0,
      cells,
      lists: new Map([['tags', tags === undefined ? null : (JSON.parse(tags) as unknown[])]]),
    }
  })
}

function fieldValue(sample: PlainSample, resource: Resource, field: string): Value {
  switch (field) {
    case 'value':
    case 'systolic':
      return sample.value
    case 'diastolic':
      return sample.second
    case 'duration':
      return (sample.endMs - sample.startMs) / 1000
    case 'kind':
      return KIND_OF[resource.path]?.(sample.text) ?? null
    case 'implausible':
      return isImplausible(sample) ?? null
    case 'timezone_offset':
      return sample.offsetSec
    case 'source_provider':
      return sample.provider
    case 'source_type':
      return sample.sourceType
    case 'type':
      return resource.typed ? sample.type : (sample.text['type'] ?? null)
    default:
      return sample.text[SOURCE_FIELDS[field] ?? field] ?? null
  }
}
