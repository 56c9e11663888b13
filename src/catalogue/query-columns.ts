/**
 * The tables that an aggregate query can read, and their columns with types and meanings. Each summary table has a file in query/. See
 * docs/interface/aggregates.md.
 */

import type { TextColumn } from '../core/sample.ts'
import { allKinds, kindsOf } from './kinds.ts'
import { allLimitsText, limitsOf } from './plausibility.ts'
import { ACTIVITY } from './query/activity.ts'
import { BODY } from './query/body.ts'
import type { ColumnType, ListColumn, SummaryTable } from './query/column.ts'
import { columnUnit } from './query/column-unit.ts'
import { DERIVED_READINESS } from './query/derived-readiness.ts'
import { MACRO_TABLE, VALUE_MACROS } from './query/macros.ts'
import { MEAL } from './query/meal.ts'
import { MENSTRUAL_CYCLE } from './query/menstrual-cycle.ts'
import { PROFILE } from './query/profile.ts'
import { SLEEP } from './query/sleep.ts'
import { WORKOUT } from './query/workout.ts'
import { RESOURCES, resourceQueried, type TimeseriesResource } from './resources.ts'

/** Every table except timeseries. */
export const SUMMARY_TABLES: readonly SummaryTable[] = [
  SLEEP,
  ACTIVITY,
  WORKOUT,
  BODY,
  MEAL,
  MENSTRUAL_CYCLE,
  PROFILE,
  DERIVED_READINESS,
]
/** Names of the tables that a query can read. */
export const QUERY_TABLES: readonly string[] = ['timeseries', ...SUMMARY_TABLES.map(each => each.name)]

/** Returns the summary table with this name, or undefined. `timeseries` is not a summary table: its columns depend on the resource. */
export function summaryTable(name: string): SummaryTable | undefined {
  return SUMMARY_TABLES.find(each => each.name === name)
}

/** The origin of a sample's field. */
export type FieldOrigin =
  | { readonly kind: 'value' | 'second' | 'duration' | 'offset' | 'provider' | 'sourceType' | 'kind' | 'implausible' }
  | { readonly kind: 'text'; readonly column: TextColumn }

export interface TimeseriesField {
  readonly name: string
  readonly type: ColumnType
  readonly meaning: string
  readonly origin: FieldOrigin
}

const text = (name: string, column: TextColumn, meaning: string): TimeseriesField => ({
  name,
  type: 'text',
  meaning,
  origin: { kind: 'text', column },
})

/** The timeseries table's source columns. Every resource also has them as fields. */
export const TIMESERIES_SOURCE: readonly TimeseriesField[] = [
  { name: 'source_provider', type: 'text', meaning: 'Provider slug', origin: { kind: 'provider' } },
  { name: 'source_type', type: 'text', meaning: 'Type of the source', origin: { kind: 'sourceType' } },
  text('source_app_id', 'app_id', 'App that recorded it'),
  text('source_workout_id', 'workout_id', 'Workout that it belongs to'),
  text('source_sport', 'sport', 'Sport of that workout'),
]

const EXTRA_MEANING: Readonly<Partial<Record<TextColumn, string>>> = {
  type: 'Type of the sample, where the resource has one',
  intensity: 'low, medium or high',
  sensor_location: 'Location of the sensor on the body',
  delivery_mode: 'basal or bolus',
  delivery_form: 'standard or extended',
  bolus_purpose: 'Purpose of the bolus',
}

/** Resources that can be queried: all except the deprecated hypnogram. */
export const QUERY_RESOURCES: readonly TimeseriesResource[] = RESOURCES.filter(each => each.name !== 'hypnogram')

/** Returns the resource with this name in a query (`weight`, or `body_weight` as in the path), or undefined. */
export function queryResource(name: string): TimeseriesResource | undefined {
  const resource = resourceQueried(name)
  return resource && QUERY_RESOURCES.includes(resource) ? resource : undefined
}

/** Returns the fields of a timeseries resource that a query can read. `tags` of a note is a list: see `timeseriesLists`. */
export function timeseriesFields(resource: TimeseriesResource): readonly TimeseriesField[] {
  const own: TimeseriesField[] = []
  const number = (
    name: string,
    meaning: string,
    kind: 'value' | 'second' | 'duration',
    type: ColumnType = 'float',
  ): void => {
    own.push({ name, type, meaning, origin: { kind } })
  }
  if (resource.shape === 'value')
    number('value', `${resource.meaning}, ${resource.unit}`, 'value', resource.isWhole ? 'int' : 'float')
  if (resource.shape === 'blood_pressure') {
    number('systolic', 'Systolic pressure, mmHg', 'value')
    number('diastolic', 'Diastolic pressure, mmHg', 'second')
  }
  if (resource.shape === 'text') own.push(text('content', 'content', resource.meaning))
  if (resource.kind === 'interval' && resource.shape === 'value')
    number('duration', 'End minus start, seconds', 'duration')
  for (const name of resource.fields) {
    if (name !== 'tags') own.push(text(name, name, EXTRA_MEANING[name] ?? name))
  }
  const kinds = kindsOf(resource.name)
  if (kinds !== undefined) {
    const meaning = allKinds(kinds).map(each => `${each.name} (${each.meaning})`)
    own.push({ name: 'kind', type: 'text', meaning: meaning.join(', '), origin: { kind: 'kind' } })
  }
  const limits = limitsOf(resource.name)
  if (limits !== undefined) {
    const meaning = `Whether a value is outside ${allLimitsText(limits, resource.unit)}`
    own.push({ name: 'implausible', type: 'bool', meaning, origin: { kind: 'implausible' } })
  }
  const offset: TimeseriesField = {
    name: 'timezone_offset',
    type: 'int',
    meaning: 'Seconds east of UTC',
    origin: { kind: 'offset' },
  }
  return [...own, offset, ...TIMESERIES_SOURCE]
}

/** Returns the unit of a timeseries field's numbers; null if it has none. */
export function fieldUnit({ unit, shape }: TimeseriesResource, { kind }: FieldOrigin): string | null {
  if (kind === 'duration' || kind === 'offset') return 's'
  if (shape === 'text' || (kind !== 'value' && kind !== 'second')) return null
  // the interface names the statistic where others have a unit
  return unit === 'rmssd' ? 'ms' : unit
}

/** Returns the fields of a timeseries resource that contain a list for each sample. Only a sub-query can read them. */
export function timeseriesLists(resource: TimeseriesResource): readonly ListColumn[] {
  return resource.fields.includes('tags') ? [TAGS] : []
}

const TAGS: ListColumn = {
  name: 'tags',
  meaning: 'Tags of the note',
  elements: 'scalar',
  fields: [{ name: 'element', type: 'text', meaning: 'food, exercise, insulin_injection, unspecified …' }],
}

/** A table and the meaning of its rows. */
export interface ListedTable {
  readonly table: string
  readonly meaning: string
  readonly indexMeaning: string
}

const SAMPLE_INDEX = 'Start of the sample, local time'

/** Every table of the query language, in the order of this catalogue. */
export const LISTED_TABLES: readonly ListedTable[] = [
  { table: 'timeseries', meaning: 'Samples of the resources that the query names', indexMeaning: SAMPLE_INDEX },
  ...SUMMARY_TABLES.map(({ name, meaning, indexMeaning }) => ({ table: name, meaning, indexMeaning })),
]

/** An entry in the list of everything that can be queried. */
export interface ListedColumn {
  readonly table: string
  /**
   * Examples: `efficiency` and `index`; `steps.value` and `blood_pressure.systolic` in the timeseries table; `menstrual_flow` for a list
   * and `menstrual_flow.flow` for a field of its elements; `sleep_score` for a value macro of the sleep table.
   */
  readonly column: string
  readonly type: ColumnType | 'list'
  readonly meaning: string
  /** Unit of a number; null if it has none. */
  readonly unit: string | null
}

/** Returns every column of a table in the order of this catalogue, with macros and lists last; empty for an unknown table. */
export function listedColumns(table: string): readonly ListedColumn[] {
  const known = summaryTable(table)
  if (known) {
    const index: ListedColumn = { table, column: 'index', type: 'time', meaning: known.indexMeaning, unit: null }
    const macros = table === MACRO_TABLE ? VALUE_MACROS : []
    const plain = [...known.columns, ...macros].map(({ name, type, meaning }) => ({
      table,
      column: name,
      type,
      meaning,
      unit: columnUnit({ name, type, meaning }),
    }))
    return [index, ...plain, ...known.lists.flatMap(list => listed(table, '', list))]
  }
  if (table !== 'timeseries') return []
  const index: ListedColumn = { table, column: 'index', type: 'time', meaning: SAMPLE_INDEX, unit: null }
  const fields = QUERY_RESOURCES.flatMap(resource => [
    ...timeseriesFields(resource).map(({ name, type, meaning, origin }) => ({
      table,
      column: `${resource.queryName}.${name}`,
      type,
      meaning,
      unit: fieldUnit(resource, origin),
    })),
    ...timeseriesLists(resource).flatMap(list => listed(table, `${resource.queryName}.`, list)),
  ])
  return [index, ...fields]
}

function listed(table: string, prefix: string, { name, meaning, fields }: ListColumn): ListedColumn[] {
  const column = `${prefix}${name}`
  return [
    { table, column, type: 'list', meaning: `List: ${meaning}`, unit: null },
    ...fields.map(field => ({
      table,
      column: `${column}.${field.name}`,
      type: field.type,
      meaning: field.meaning,
      unit: columnUnit(field),
    })),
  ]
}
