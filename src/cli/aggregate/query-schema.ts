/** Builds the JSON Schema of query files, for editors and assistants, from the contract's schema and the catalogue's names. */

import { SOURCE_COLUMNS } from '../../catalogue/query/column.ts'
import { VALUE_MACROS } from '../../catalogue/query/macros.ts'
import {
  QUERY_RESOURCES,
  QUERY_TABLES,
  SUMMARY_TABLES,
  TIMESERIES_SOURCE,
  timeseriesFields,
  timeseriesLists,
} from '../../catalogue/query-columns.ts'
import { AGGREGATE_FUNCTIONS, DATE_PARTS } from '../../catalogue/query-functions.ts'
import { INNER_TABLE, queryBatch } from '../../contract/aggregates/aggregate.ts'
import { continuousQueryBody } from '../../contract/aggregates/continuous-query.ts'
import { type JsonObject, type JsonValue, schemaOnItsOwn } from '../../contract/kernel/json-schema.ts'
import { SCHEMA_KEY } from './query-document.ts'

/** Returns the schema of a request body. */
export function queryBodySchema(): JsonObject {
  const { $schema, $defs: _, ...batch } = schemaOnItsOwn(queryBatch(), 'input')
  return { ...($schema === undefined ? {} : { $schema }), ...withNames(batch), $defs: nameDefinitions() }
}

/**
 * Returns the schema of input files for `svc aggregate query`, `explain` and `watch create`: a request body or, if it has a `select`, the
 * query of a continuous query.
 */
export function queryFileSchema(): JsonObject {
  const { $schema = null, $defs: _, ...batch } = queryBodySchema()
  const { $schema: __, $defs: ___, ...single } = schemaOnItsOwn(continuousQueryBody(), 'input')
  return {
    [SCHEMA_KEY]: $schema,
    title: 'Query of svc aggregate',
    description: 'Request body of an aggregate query, or one query for `svc aggregate watch create`',
    type: 'object',
    // not oneOf, so that an editor reports the problem for the intended form
    if: { required: ['select'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: '#/$defs/Query' },
    else: { $ref: '#/$defs/Batch' },
    $defs: { Batch: asFile(batch), Query: asFile(withNames(single)), ...nameDefinitions() },
  }
}

function nameDefinitions(): JsonObject {
  return Object.fromEntries(Object.entries(NAMES).map(([key, names]) => [key, { type: 'string', enum: names }]))
}

function asFile(schema: JsonObject): JsonObject {
  const key = { type: 'string', description: 'Path or URL of this schema, for editors; ignored by svc' }
  return { ...schema, properties: { [SCHEMA_KEY]: key, ...(schema['properties'] as JsonObject) } }
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
const named = (each: readonly { readonly name: string }[]): readonly string[] => each.map(({ name }) => name)

/** Allowed values of fields that the contract describes as any text, because only the engine knows the names. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  func: named(AGGREGATE_FUNCTIONS),
  date_part: DATE_PARTS,
  index: [...QUERY_TABLES, INNER_TABLE],
  value_macro: named(VALUE_MACROS),
  source: unique([...named(SOURCE_COLUMNS), ...named(TIMESERIES_SOURCE)]),
  timeseries: unique(QUERY_RESOURCES.flatMap(({ name, queryName }) => [name, queryName])),
  field: unique(QUERY_RESOURCES.flatMap(each => named([...timeseriesFields(each), ...timeseriesLists(each)]))),
  ...Object.fromEntries(SUMMARY_TABLES.map(({ name, columns, lists }) => [name, named([...columns, ...lists])])),
}

function withNames(value: JsonObject): JsonObject
function withNames(value: JsonValue): JsonValue
function withNames(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(each => withNames(each))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withNames(inner)] as const)
  const { properties, ...rest } = Object.fromEntries(entries)
  if (!isObject(properties)) return Object.fromEntries(entries)
  const filled = Object.entries(properties).map(([key, inner]) => [
    key,
    isAnyText(inner) ? nameSchema(key, inner) : inner,
  ])
  return { ...rest, properties: Object.fromEntries(filled) }
}

function nameSchema(key: string, text: JsonObject): JsonObject {
  const names = Object.hasOwn(NAMES, key) ? NAMES[key] : undefined
  return names === undefined ? text : { $ref: `#/$defs/${key}` }
}

/** Returns whether a schema describes a name: any non-empty text. */
function isAnyText(schema: JsonValue): schema is JsonObject {
  return isObject(schema) && schema['type'] === 'string' && schema['minLength'] === 1
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
