/** Parses one --select: a column, a group key, a function, or a sub-query over a list. */
import { summaryTable } from '../../catalogue/query-columns.ts'
import { aggregateFunction, FUNCTION_NAMES } from '../../catalogue/query-functions.ts'
import type { SelectItem, SubQuery } from '../../contract/aggregates/aggregate.ts'
import {
  columnNamed,
  type FlagColumn,
  type FlagList,
  listNamed,
  unknownNameError,
  usageError,
} from './aggregate-flag-columns.ts'

const FLAG = '--select'
const CALL = /^([A-Za-z_]\w*)\s*\(([\s\S]*)\)$/
const GROUP_KEY = /^group_key\.(\*|\d{1,3})$/
const LIST_WHERE = /^(\S+)\s+where\s+([\s\S]+)$/i
const CALL_FORM = "Write a function as func(column), as in 'sum(steps)'."

/** Parses an item without its name. `queried` is the table of the query, if known. Throws a ServiceError `usage` with the allowed forms. */
export function selectItem(given: string, queried?: string): SelectItem {
  const text = given.trim()
  const key = GROUP_KEY.exec(text)?.[1]
  if (key !== undefined) return { group_key: key === '*' ? '*' : Number(key) }
  if (text.startsWith('group_key')) {
    throw usageError(`${FLAG}: a group key must be group_key.0, group_key.1 and so on, or group_key.* for all of them.`)
  }
  const call = parseCall(text)
  return call ? functionItem(call.func, call.inner, queried) : columnNamed(text, FLAG, queried)
}

export interface Call {
  readonly func: string
  readonly inner: string
}

/** Returns the function in a text, with its argument. Throws ServiceError `usage` for a malformed or unknown function. */
export function parseCall(text: string): Call | undefined {
  const found = CALL.exec(text)
  if (!found) {
    if (/[()]/.test(text)) throw usageError(`${FLAG}: "${text}" is not a column. ${CALL_FORM}`)
    return undefined
  }
  const [, func = '', argument = ''] = found
  const inner = argument.trim()
  checkParentheses(inner)
  const known = aggregateFunction(func)
  if (!known) throw unknownNameError(FLAG, 'function', func, FUNCTION_NAMES)
  return { func: known.name, inner }
}

/** Throws unless parentheses outside quotes are balanced. */
function checkParentheses(text: string): void {
  let depth = 0
  for (const char of text.replace(/'[^']*'/g, '')) {
    if (char === '(') depth++
    if (char === ')' && --depth < 0) break
  }
  if (depth !== 0) throw usageError(`${FLAG}: the parentheses do not match. ${CALL_FORM}`)
}

function functionItem(func: string, inner: string, queried: string | undefined): SelectItem {
  if (inner === '*') {
    if (func !== 'count') throw usageError(`${FLAG}: only count accepts *, which counts all rows.`)
    return { func, arg: null }
  }
  if (inner === '') throw usageError(`${FLAG}: ${func}() has no column. ${CALL_FORM}`)
  const list = buildSubQuery(func, inner, queried)
  if (list) return list
  if (inner.includes('(')) return { func, arg: nested(inner, queried) }
  if (LIST_WHERE.test(inner))
    throw usageError(`${FLAG}: only a list can have a "where" inside a function. Use --where to filter rows.`)
  const arg = columnNamed(inner, FLAG, queried)
  if ('source' in arg && queried !== undefined && summaryTable(queried)) {
    return { func, arg: columnNamed(`${queried}.${inner}`, FLAG) as FlagColumn }
  }
  if ('source' in arg) {
    throw usageError(
      `${FLAG}: ${inner} is a source column. Select it without a function, or name its table (sleep.source_type).`,
    )
  }
  return { func, arg }
}

/** Parses a function that is the argument of another function. Only functions of lists are allowed there. */
function nested(inner: string, queried: string | undefined): SubQuery {
  const call = parseCall(inner)
  const found = call && buildSubQuery(call.func, call.inner, queried)
  if (!found) {
    throw usageError(
      `${FLAG}: a function takes a column or a function of a list, as in mean(count(menstrual_cycle.menstrual_flow)). For a ` +
        "function over buckets, such as the mean of daily sums, write two functions and --per: --select 'mean(sum(steps))' --per 1d.",
    )
  }
  return found
}

function buildSubQuery(func: string, inner: string, queried: string | undefined): SubQuery | undefined {
  const conditional = LIST_WHERE.exec(inner)
  const list = listNamed(conditional?.[1] ?? inner, FLAG, queried)
  if (!list) return undefined
  const arg = buildElement(func, list)
  return {
    select: { func, arg },
    from: { unnest: list.unnest },
    ...(conditional ? { where: (conditional[2] ?? '').trim() } : {}),
  }
}

function buildElement(func: string, { list, field, name }: FlagList): SubQuery['select']['arg'] {
  if (func === 'oldest' || func === 'newest')
    throw usageError(`${FLAG}: ${func} does not work on a list, because the items of a list have no index.`)
  if (field === undefined) {
    if (func === 'count') return null
    const fields = list.fields.map(each => `${name}.${each.name}`)
    throw usageError(`${FLAG}: ${func} of a list needs a field of its items: ${fields.join(', ')}.`)
  }
  if (list.elements === 'scalar') return { element: true }
  return { field_for: 'menstrual_cycle', [list.name]: field } as SubQuery['select']['arg']
}
