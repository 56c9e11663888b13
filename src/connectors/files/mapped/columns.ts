/** Finds a mapping's columns in a table's header. */
import { didYouMean, invalid, type ServiceError, type ValidationIssue } from '../../../core/errors.ts'
import { parseCell } from '../csv/number.ts'
import { type ColumnMapping, type MappingTarget, shown } from './mapping.ts'
import { mappedTime } from './time.ts'

/** Maximum number of columns in a message, because a header may have thousands of columns. */
const MOST_NAMED = 40
/** Maximum number of columns to offer to a caller, and maximum length of their names. */
const MOST_OFFERED = 200
const MOST_OFFERED_CHARACTERS = 200

/** A condition for reading a row: the value that the cell at a position must have. */
export interface CellCondition {
  readonly index: number
  readonly value: string
}

/**
 * Returns the position of each mapped column. Throws ServiceError `invalid_request` for a column that is missing from the header or occurs
 * twice.
 */
export function mappedColumns(mapping: ColumnMapping, header: readonly string[]): ReadonlyMap<MappingTarget, number> {
  if (Object.keys(mapping.columns).length === 0) throw noMapping(header)
  const names = header.map(name => name.trim())
  return new Map(
    (Object.entries(mapping.columns) as [MappingTarget, string][]).map(([target, column]) => [
      target,
      findColumnIndex(column, names, target),
    ]),
  )
}

/** Returns the position of each column by which rows are selected. Throws the same errors as `mappedColumns`. */
export function selectedColumns({ where = [] }: ColumnMapping, header: readonly string[]): readonly CellCondition[] {
  const names = header.map(name => name.trim())
  return where.map(({ column, value }) => ({ index: findColumnIndex(column, names, 'where'), value: value.trim() }))
}

/** Returns whether one of the names is the column's name, ignoring case. */
export function namesColumn(names: readonly string[], column: string): boolean {
  const wanted = column.trim().toLowerCase()
  return names.some(name => name.toLowerCase() === wanted)
}

function findColumnIndex(column: string, names: readonly string[], target: MappingTarget | 'where'): number {
  const wanted = column.trim()
  const same = (isSame: (name: string) => boolean): number[] => names.flatMap((name, i) => (isSame(name) ? [i] : []))
  const exact = same(name => name === wanted)
  const found = exact.length > 0 ? exact : same(name => name.toLowerCase() === wanted.toLowerCase())
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  if (second !== undefined)
    throw refused(`${target}=${shown(wanted)}: the file has ${found.length} columns of that name`, names)
  const hint = isHeader(names)
    ? `${didYouMean(
        wanted,
        names.map(shown).filter(name => name !== ''),
      )} Its columns: ${listed(names)}`
    : ` ${NO_HEADER}`
  throw refused(`${target}=${shown(wanted)}: the file has no column of that name.${hint}`, names)
}

/** Returns the error for a table that has an unknown format and no mapping. */
function noMapping(header: readonly string[]): ServiceError {
  const names = header.map(name => name.trim())
  return unmapped(isHeader(names) ? `Its columns: ${listed(names)}.` : NO_HEADER, names)
}

function unmapped(what: string, names: readonly string[]): ServiceError {
  return invalid(
    [
      {
        loc: ['query', 'mapping'],
        msg: `the file is a table in no known format, so its columns must be mapped. ${what}`,
        type: 'missing',
        ...offered(names),
      },
    ],
    'invalid_request',
    ['For example: --map start=COLUMN --map value=COLUMN --resource steps --unit count --time-zone Europe/Berlin'],
  )
}

const NO_HEADER = 'Its first lines look like data, but one of them must be a header that names the columns.'

/** Returns the error for a table without a row that could be its header. */
export function noHeader({ columns }: ColumnMapping): ServiceError {
  const mapped = Object.entries(columns)[0]
  if (mapped === undefined) return unmapped(NO_HEADER, [])
  return refused(`${mapped[0]}=${shown(mapped[1])}: the file has no column of that name. ${NO_HEADER}`, [])
}

/**
 * Returns whether a row contains column names. A row with a number, a time or an e-mail address is data, which a message must not repeat.
 */
export function isHeader(names: readonly string[]): boolean {
  return !names.some(
    name =>
      Number.isFinite(parseCell(name, true)) ||
      mappedTime(name, 'dmy', null, undefined) !== undefined ||
      /@/.test(name),
  )
}

function listed(all: readonly string[]): string {
  const names = all.filter(name => name !== '')
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  return (
    names
      .slice(0, MOST_NAMED)
      .map(name => `"${shown(name)}"`)
      .join(', ') + more
  )
}

/** Returns the columns that a caller can use in a mapping, without repeating data. */
function offered(names: readonly string[]): Pick<ValidationIssue, 'ctx'> {
  if (names.length === 0 || !isHeader(names)) return {}
  const columns = names.filter(name => name !== '' && name.length <= MOST_OFFERED_CHARACTERS).slice(0, MOST_OFFERED)
  return { ctx: { columns: [...new Set(columns)] } }
}

function refused(msg: string, names: readonly string[]): ServiceError {
  return invalid([{ loc: ['query', 'mapping'], msg, type: 'value_error', ...offered(names) }])
}
