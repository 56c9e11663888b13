/** Reads the question of `svc why` from the command line. */
import type { SelectItem } from '../../../contract/aggregates/aggregate.ts'
import { ServiceError } from '../../../core/errors.ts'
import { usageError } from '../aggregate-flag-columns.ts'
import { selectItem } from '../aggregate-flag-select.ts'

const FORM = "must be one function of one column, such as 'sum(steps)' or 'mean(sleep.efficiency)'."

/** Returns the function and the column of `sum(steps)`. Throws ServiceError `usage` that suggests the nearest names. */
export function parseNumber(text: string): { readonly function: string; readonly column: string } {
  const item = inArgument(() => selectItem(text))
  if (!('func' in item)) throw usageError(`FUNCTION ${FORM}`)
  return { function: item.func, column: columnText(item.arg) }
}

/** Runs a parser of --select, and names FUNCTION in its errors. */
function inArgument<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const message = error.message.replaceAll('--select', 'FUNCTION')
    throw new ServiceError(error.code, message, { suggestions: error.suggestions })
  }
}

function columnText(argument: Extract<SelectItem, { func: string }>['arg']): string {
  if (argument !== null && 'timeseries' in argument) return `${argument.timeseries}.${argument.field}`
  if (argument !== null && 'value_macro' in argument) return `sleep.${argument.value_macro}`
  const [[table, column] = []] = Object.entries(argument ?? {})
  if (table === undefined || typeof column !== 'string' || table === 'index' || table === 'query')
    throw usageError(`FUNCTION ${FORM} The index, rows and lists cannot be explained.`)
  return `${table}.${column}`
}

const SERVICE_FORM = /^(\d{4}(-\d{2}(-\d{2})?|-W\d{2})?|\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2})$/

/**
 * Returns the period as the service writes it. `day` returns the calendar date of words such as `yesterday` in the user's time zone.
 * Throws any error of `day`.
 */
export async function readPeriod(text: string, day: (text: string) => Promise<string>): Promise<string> {
  if (SERVICE_FORM.test(text)) return text
  const [from, to, ...more] = text.split('..') as [string, ...string[]]
  if (to === undefined || more.length > 0) return day(text)
  return `${await day(from)}..${await day(to)}`
}

/** Returns the arguments of a question. Throws ServiceError `usage` if one is missing. */
export function requireArguments(args: {
  readonly function: string | undefined
  readonly user: string | undefined
  readonly period: string | undefined
}): { readonly function: string; readonly user: string; readonly period: string } {
  const { function: func, user, period } = args
  if (func !== undefined && user !== undefined && period !== undefined) return { function: func, user, period }
  const missing = func === undefined ? 'FUNCTION' : user === undefined ? 'USER' : 'PERIOD'
  throw new ServiceError('usage', `${missing} is missing.`, {
    suggestions: ["Write the function, the user and the day: svc why 'sum(steps)' ada 2026-11-20"],
  })
}

/** Throws ServiceError `usage` if a question is given beside a document to verify. */
export function refuseArguments(args: Readonly<Record<string, unknown>>): void {
  if (Object.values(args).every(value => value === undefined)) return
  throw new ServiceError(
    'usage',
    '--verify checks a document that was printed before. Leave FUNCTION, USER and PERIOD out.',
  )
}
