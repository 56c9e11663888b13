/** Finds the columns that a mapping names in the header of a table. */
import { didYouMean, invalid, type ServiceError } from '../../../core/errors.ts'
import { parseCell } from '../csv/number.ts'
import { type ColumnMapping, type MappingTarget, shown } from './mapping.ts'
import { mappedTime } from './time.ts'

/** A header could have thousands of columns; a message names only the first ones. */
const MOST_NAMED = 40

/** Returns the position of each mapped column. Throws ServiceError `invalid_request` for a column that the header lacks or has twice. */
export function mappedColumns(mapping: ColumnMapping, header: readonly string[]): ReadonlyMap<MappingTarget, number> {
  if (Object.keys(mapping.columns).length === 0) throw noMapping(header)
  const names = header.map(name => name.trim())
  return new Map(
    (Object.entries(mapping.columns) as [MappingTarget, string][]).map(([target, column]) => [
      target,
      placeOf(column, names, target),
    ]),
  )
}

function placeOf(column: string, names: readonly string[], target: MappingTarget): number {
  const wanted = column.trim()
  const same = (isSame: (name: string) => boolean): number[] => names.flatMap((name, i) => (isSame(name) ? [i] : []))
  const exact = same(name => name === wanted)
  const found = exact.length > 0 ? exact : same(name => name.toLowerCase() === wanted.toLowerCase())
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  if (second !== undefined)
    throw refused(`${target}=${shown(wanted)}: the file has ${found.length} columns of that name`)
  const hint = isHeader(names)
    ? `${didYouMean(wanted, names.map(shown))} Its columns: ${listed(names)}`
    : ` ${NO_HEADER}`
  throw refused(`${target}=${shown(wanted)}: the file has no column of that name.${hint}`)
}

/** Returns the error for a table in no known format that comes without a mapping. */
export function noMapping(header: readonly string[]): ServiceError {
  const names = header.map(name => name.trim())
  const what = isHeader(names) ? `Its columns: ${listed(names)}.` : NO_HEADER
  return invalid(
    [
      {
        loc: ['query', 'mapping'],
        msg: `the file is a table in no known format, so its columns must be mapped. ${what}`,
        type: 'missing',
      },
    ],
    'invalid_request',
    ['For example: --map start=COLUMN --map value=COLUMN --resource steps --unit count --time-zone Europe/Berlin'],
  )
}

const NO_HEADER = 'Its first line looks like data, but it must be a header that names the columns.'

/**
 * Returns whether a first line names columns. A line with a number, a time or an e-mail address is data and is not repeated in a message.
 */
function isHeader(names: readonly string[]): boolean {
  return !names.some(
    name =>
      Number.isFinite(parseCell(name, true)) ||
      mappedTime(name, 'dmy', null, undefined) !== undefined ||
      /@/.test(name),
  )
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  return (
    names
      .slice(0, MOST_NAMED)
      .map(name => `"${shown(name)}"`)
      .join(', ') + more
  )
}

function refused(msg: string): ServiceError {
  return invalid([{ loc: ['query', 'mapping'], msg, type: 'value_error' }])
}
