/** Converts the columns of --select and --group-by to the form of the request body. */
import type { ListColumn } from '../../catalogue/query/column.ts'
import { MACRO_TABLE, VALUE_MACROS } from '../../catalogue/query/macros.ts'
import {
  QUERY_RESOURCES,
  QUERY_TABLES,
  queryResource,
  summaryTable,
  TIMESERIES_SOURCE,
  timeseriesFields,
  timeseriesLists,
} from '../../catalogue/query-columns.ts'
import type { Argument, SelectItem, SubQuery } from '../../contract/aggregates/aggregate.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'

/** A column, an index or a value macro. */
export type FlagColumn = Exclude<NonNullable<Argument>, { from: unknown }>
export type FlagSource = Extract<SelectItem, { source: string }>

/** A list and the field of its items. The field is undefined if none is given. */
export interface FlagList {
  readonly list: ListColumn
  readonly unnest: SubQuery['from']['unnest']
  readonly field: string | undefined
  /** The text as the user wrote it. */
  readonly name: string
}

export const COLUMN_FORM =
  'sleep.efficiency, efficiency, activity.steps, sleep.index, timeseries.blood_pressure.systolic, steps (the value of a timeseries), ' +
  'sleep_score (a value macro) or source_type'

/** A parsed column text. Its names are looked up later. */
type Reference =
  | ListReference
  /** A name without a table. */
  | { readonly kind: 'word'; readonly word: string }
  /** A timeseries field; undefined for the value. */
  | { readonly kind: 'field'; readonly resource: string; readonly field: string | undefined }
  | { readonly kind: 'index'; readonly table: string }
  | { readonly kind: 'column'; readonly table: string; readonly name: string }

/** A list field that has not been looked up yet. */
interface ListReference extends FlagList {
  readonly kind: 'list'
}

/**
 * Returns the column that a text names: `table.column`, `table.index`, `timeseries.resource`, `timeseries.resource.field`, a bare resource
 * (its value), `resource.field`, a value macro or a column without its table, or a source column. `queried` is the table of the query, if
 * known. Throws a ServiceError `usage` that suggests the nearest names.
 */
export function columnNamed(text: string, flag: string, queried?: string): FlagColumn | FlagSource {
  return resolve(parse(text, flag, queried), flag, queried)
}

/** Returns the list that a text names, such as `menstrual_cycle.menstrual_flow.flow`; undefined if it does not name a list. */
export function listNamed(text: string, flag: string, queried?: string): FlagList | undefined {
  const reference = parseList(text, queried)
  return reference && resolveList(reference, flag)
}

function parse(text: string, flag: string, queried: string | undefined): Reference {
  const list = parseList(text, queried)
  if (list) return list
  const [head, ...rest] = text.split('.') as [string, ...string[]]
  if (rest.length === 0) return { kind: 'word', word: head }
  if (head === 'timeseries') {
    const [resource, field, ...more] = rest as [string, ...string[]]
    if (more.length > 0) throw usageError(`${flag}: a timeseries column must have the form timeseries.resource.field.`)
    const isIndex = resource === 'index' && field === undefined
    return isIndex ? { kind: 'index', table: head } : { kind: 'field', resource, field }
  }
  const name = rest.join('.')
  if (!summaryTable(head)) {
    return queryResource(head) ? { kind: 'field', resource: head, field: name } : { kind: 'column', table: head, name }
  }
  return name === 'index' ? { kind: 'index', table: head } : { kind: 'column', table: head, name }
}

function parseList(text: string, queried: string | undefined): ListReference | undefined {
  const parts = withTable(text.split('.'), queried)
  const [head = '', name, ...rest] = parts[0] === 'timeseries' ? parts.slice(1) : parts
  const table = parts[0] === 'timeseries' ? undefined : summaryTable(head)
  const list = table ? table.lists.find(each => each.name === name) : resourceList(head, name)
  if (!list) return undefined
  const unnest = resourceList(head, name) ? { timeseries: head, field: list.name } : { menstrual_cycle: list.name }
  return { kind: 'list', list, unnest, field: rest.length === 0 ? undefined : rest.join('.'), name: text }
}

/** Prepends the table to a list name that lacks it. A timeseries of that name takes precedence, unless the query reads the table. */
function withTable(parts: readonly string[], queried: string | undefined): readonly string[] {
  const [head = ''] = parts
  if (summaryTable(head) || (queryResource(head) && queried !== 'menstrual_cycle')) return parts
  const table = QUERY_TABLES.find(name => summaryTable(name)?.lists.some(list => list.name === head))
  return table === undefined ? parts : [table, ...parts]
}

function resolve(reference: Reference, flag: string, queried: string | undefined): FlagColumn | FlagSource {
  switch (reference.kind) {
    case 'list': {
      const { name } = resolveList(reference, flag)
      throw usageError(
        `${flag}: ${name} is a list. Apply a function to it, as in count(${name}) or mean(count(${name})).`,
      )
    }
    case 'word':
      return resolveWord(reference.word, flag, queried)
    case 'field':
      return resolveField(reference.resource, reference.field, flag)
    case 'index':
      return { index: reference.table }
    case 'column':
      return resolveColumn(reference.table, reference.name, flag)
  }
}

function resolveList({ kind: _, ...found }: ListReference, flag: string): FlagList {
  const { list, field } = found
  const fields = list.fields.map(each => each.name)
  if (field !== undefined && !fields.includes(field))
    throw unknownNameError(flag, `field of ${list.name}`, field, fields)
  return found
}

function resolveColumn(tableName: string, name: string, flag: string): FlagColumn {
  const table = summaryTable(tableName)
  if (!table) {
    throw unknownNameError(flag, 'table', tableName, [...QUERY_TABLES, ...QUERY_RESOURCES.map(each => each.queryName)])
  }
  const names = table.columns.map(each => each.name)
  if (names.includes(name)) return { [tableName]: name } as FlagColumn
  const macros = tableName === MACRO_TABLE ? VALUE_MACROS.map(each => each.name) : []
  if (macros.some(each => each === name)) return { value_macro: name, version: 'automatic' }
  const known = [...names, ...macros, ...table.lists.map(each => each.name), 'index']
  throw unknownNameError(flag, `column of ${tableName}`, name, known)
}

/** Returns every column name that is valid without its table. */
export function columnWords(): string[] {
  return [
    ...QUERY_RESOURCES.map(each => each.queryName),
    ...VALUE_MACROS.map(each => each.name),
    ...TIMESERIES_SOURCE.map(each => each.name),
    'source_device_id',
  ]
}

/** Returns the error for an unknown name: the problem, the nearest names, and the allowed ones. Does not throw. */
export function unknownNameError(flag: string, what: string, name: string, known: readonly string[]): ServiceError {
  const hint = didYouMean(name, known)
  const all = known.length <= 12 ? ` Known names: ${known.join(', ')}.` : ''
  return usageError(`${flag}: unknown ${what} "${name}".${hint}${all} Columns are written like ${COLUMN_FORM}.`)
}

export function usageError(message: string): ServiceError {
  return new ServiceError('usage', message, {
    suggestions: ['`svc aggregate columns` lists the columns that you can query.'],
  })
}

/** Returns `sleep.efficiency` for `efficiency`: the full names of all columns with that name. */
export function fullColumnNames(word: string): string[] {
  const tables = QUERY_TABLES.filter(name => summaryTable(name)?.columns.some(each => each.name === word))
  return tables.map(table => `${table}.${word}`)
}

function resolveWord(word: string, flag: string, queried: string | undefined): FlagColumn | FlagSource {
  if (TIMESERIES_SOURCE.some(each => each.name === word) || word === 'source_device_id') return { source: word }
  const columns = fullColumnNames(word)
  // the table of the query takes precedence over a timeseries of the same name
  if (queried !== undefined && columns.includes(`${queried}.${word}`)) return resolveColumn(queried, word, flag)
  if (queryResource(word)) return resolveField(word, undefined, flag)
  if (VALUE_MACROS.some(each => each.name === word)) return { value_macro: word, version: 'automatic' }
  if (word === 'index' && queried !== undefined) return { index: queried }
  if (word === 'index' || summaryTable(word) || word === 'timeseries') {
    const table = word === 'index' ? 'sleep' : word
    throw usageError(
      `${flag}: "${word}" is not a column. To use the time of a table, name the table too, as in ${table}.index.`,
    )
  }
  if (columns.length > 0 && queried !== undefined) {
    throw usageError(
      `${flag}: this query reads ${queried}, and a query reads one table. ${queried} has no column "${word}", only ${columns.join(', ')}.`,
    )
  }
  const [only] = columns
  if (only !== undefined && columns.length === 1) return columnNamed(only, flag)
  if (columns.length > 0) throw usageError(`${flag}: "${word}" is in several tables. Write ${columns.join(' or ')}.`)
  throw unknownNameError(flag, 'column', word, columnWords())
}

function resourceList(resource: string | undefined, name: string | undefined): ListColumn | undefined {
  const found = resource === undefined ? undefined : queryResource(resource)
  return found ? timeseriesLists(found).find(each => each.name === name) : undefined
}

/** Returns a timeseries column; an undefined `field` means the value. */
function resolveField(resourceName: string, field: string | undefined, flag: string): FlagColumn {
  const resource = queryResource(resourceName)
  if (!resource) {
    const names = QUERY_RESOURCES.map(each => each.queryName)
    throw unknownNameError(flag, 'timeseries resource', resourceName, names)
  }
  const names = timeseriesFields(resource).map(each => each.name)
  const wanted = field ?? 'value'
  if (!names.includes(wanted)) {
    if (field === 'index')
      throw usageError(
        `${flag}: ${resourceName} has no index of its own. Use the index of its table: timeseries.index.`,
      )
    if (field === undefined) {
      throw usageError(`${flag}: ${resourceName} has no single value. Name one of its fields: ${names.join(', ')}.`)
    }
    const lists = timeseriesLists(resource).map(each => each.name)
    throw unknownNameError(flag, `field of ${resourceName}`, wanted, [...names, ...lists])
  }
  return { timeseries: resource.queryName, field: wanted }
}
