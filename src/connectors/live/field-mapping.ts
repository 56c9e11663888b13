/**
 * Tables that say which number of a provider's record becomes which sample or field of a summary. The connectors map with them, and the
 * docs print them.
 */
import { asList, asNumber, asObject, type JsonObject, member } from '../files/json/fields.ts'
import type { MappingRow } from './live-connector.ts'
import type { LivePage } from './page.ts'

/** A change of unit. `rule` says it in the docs. */
export interface Conversion {
  readonly rule: string
  readonly of: (value: number) => number
}

export interface FieldMapping {
  /** Path in the provider's record: `score.stage_summary.total_rem_sleep_time_milli`. */
  readonly from: string
  /** The resource, named as in REST paths, that gets a sample. */
  readonly sample?: string
  /** Fields of summaries that get the value: `sleep.rem`, `activity.heart_rate.avg_bpm`. */
  readonly fields?: readonly string[]
  readonly convert?: Conversion
  /** Added to the rule of the docs: what else happens. */
  readonly note?: string
}

/** Returns a division by a constant, rounded to so many decimals. */
export function divided(by: number, unit: string, decimals = 3): Conversion {
  const factor = 10 ** decimals
  return { rule: `÷ ${by}, ${unit}`, of: value => Math.round((value / by) * factor) / factor }
}

export const SECONDS_FROM_MS: Conversion = divided(1000, 's')
export const KCAL_FROM_KJ: Conversion = divided(4.184, 'kcal', 1)
/** From kilometres an hour to metres a second. */
export const MS_FROM_KMH: Conversion = divided(3.6, 'm/s')
export const CM_FROM_M: Conversion = { rule: '× 100, cm', of: value => Math.round(value * 10_000) / 100 }

/** Returns the value at a path, or undefined. */
export function valueAt(record: unknown, path: string): unknown {
  let value = record
  for (const name of path.split('.')) value = member(value, name)
  return value
}

/** Returns the objects of a list; anything else in it is left out. */
export function objectsIn(list: unknown): readonly JsonObject[] {
  return asList(list)
    .map(asObject)
    .filter(each => each !== undefined)
}

/** Returns the converted value of one mapping, or undefined if the record has none. */
export function mappedValue(record: unknown, { from, convert }: FieldMapping): number | undefined {
  const value = asNumber(valueAt(record, from))
  return value === undefined ? undefined : (convert?.of(value) ?? value)
}

/** Returns the values for one kind of summary, by field: `{ 'heart_rate.avg_bpm': 61 }`. Fields without a value are left out. */
export function fieldsOf(kind: string, record: unknown, table: readonly FieldMapping[]): Record<string, number> {
  const values: Record<string, number> = {}
  for (const mapping of table) {
    const value = mappedValue(record, mapping)
    if (value === undefined) continue
    for (const field of mapping.fields ?? []) {
      if (field.startsWith(`${kind}.`)) values[field.slice(kind.length + 1)] = value
    }
  }
  return values
}

/** Yields the resource and the value of each sample. */
export function* samplesOf(record: unknown, table: readonly FieldMapping[]): Generator<readonly [string, number]> {
  for (const mapping of table) {
    const value = mapping.sample === undefined ? undefined : mappedValue(record, mapping)
    if (mapping.sample !== undefined && value !== undefined) yield [mapping.sample, value]
  }
}

/** Returns the lines of the docs for a table. `collection` is the provider's name of the records. */
export function mappingRows(collection: string, table: readonly FieldMapping[]): readonly MappingRow[] {
  return table.map(({ from, sample, fields = [], convert, note }) => ({
    from: `${collection}.${from}`,
    to: [...(sample === undefined ? [] : [sample]), ...fields].join(', '),
    rule: [convert?.rule, note].filter(Boolean).join('; '),
  }))
}

const MOST_DEPTH = 4
const NAME = /^[\w-]{1,40}$/

/**
 * Counts every field of a record that nothing reads, by its path. `known` holds the paths that are read, and those of ids and times; what
 * lies below a known path is known as well.
 */
export function countUnknown(record: unknown, prefix: string, known: ReadonlySet<string>, page: LivePage): void {
  const visit = (value: unknown, path: string, depth: number): void => {
    for (const [name, each] of Object.entries(asObject(value) ?? {})) {
      const below = path === '' ? name : `${path}.${name}`
      if (each === null || known.has(below)) continue
      if (!NAME.test(name)) page.skip(`${path === '' ? prefix : `${prefix}.${path}`} (others)`)
      else if (asObject(each) !== undefined && depth < MOST_DEPTH) visit(each, below, depth + 1)
      else page.skip(`${prefix}.${below}`)
    }
  }
  visit(record, '', 0)
}
