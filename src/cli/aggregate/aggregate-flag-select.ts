/** What one --select stands for: a column, a group key, a function, or a sub-query over a list. */
import { AGGREGATE_FUNCTIONS } from '../../catalogue/query-functions.ts'
import type { SelectItem, SubQuery } from '../../contract/aggregates/aggregate.ts'
import { columnNamed, type FlagList, listNamed, unknown, usage } from './aggregate-flag-columns.ts'

const FLAG = '--select'
const CALL = /^([A-Za-z_]\w*)\s*\(([\s\S]*)\)$/
const GROUP_KEY = /^group_key\.(\*|\d{1,3})$/
const LIST_WHERE = /^(\S+)\s+where\s+([\s\S]+)$/i
const CALL_FORM = "a function is written func(column), as in 'sum(steps)'"

/** Throws a ServiceError `usage` that says what is allowed. */
export function selectItem(given: string): SelectItem {
  const text = given.trim()
  const key = GROUP_KEY.exec(text)?.[1]
  if (key !== undefined) return { group_key: key === '*' ? '*' : Number(key) }
  if (text.startsWith('group_key')) {
    throw usage(`${FLAG}: a group key is group_key.0, group_key.1 … or group_key.* for all of them`)
  }
  const call = callOf(text)
  return call ? functionItem(call.func, call.inner) : columnNamed(text, FLAG)
}

interface Call {
  readonly func: string
  readonly inner: string
}

function callOf(text: string): Call | undefined {
  const found = CALL.exec(text)
  if (!found) {
    if (/[()]/.test(text)) throw usage(`${FLAG}: ${CALL_FORM}`)
    return undefined
  }
  const inner = (found[2] as string).trim()
  checkParentheses(inner)
  const func = found[1] as string
  const functions = AGGREGATE_FUNCTIONS.map(each => each.name)
  if (!functions.some(each => each === func)) throw unknown(FLAG, 'function', func, functions)
  return { func, inner }
}

/** Outside of quotes they stand in pairs. */
function checkParentheses(text: string): void {
  let depth = 0
  for (const char of text.replace(/'[^']*'/g, '')) {
    if (char === '(') depth++
    if (char === ')' && --depth < 0) break
  }
  if (depth !== 0) throw usage(`${FLAG}: the parentheses do not match; ${CALL_FORM}`)
}

function functionItem(func: string, inner: string): SelectItem {
  if (inner === '*') {
    if (func !== 'count') throw usage(`${FLAG}: only count takes *, for all rows`)
    return { func, arg: null }
  }
  if (inner === '') throw usage(`${FLAG}: ${func}() names no column; ${CALL_FORM}`)
  const list = subQueryOf(func, inner)
  if (list) return list
  if (inner.includes('(')) return { func, arg: nested(inner) }
  if (LIST_WHERE.test(inner)) throw usage(`${FLAG}: only a list has a where of its own; rows are kept by --where`)
  const arg = columnNamed(inner, FLAG)
  if ('source' in arg) {
    throw usage(
      `${FLAG}: ${inner} is a source column: select it as it is, or as a column of a table (sleep.source_type)`,
    )
  }
  return { func, arg }
}

/** The argument of a function that is itself a function: only of a list. */
function nested(inner: string): SubQuery {
  const call = callOf(inner)
  const found = call && subQueryOf(call.func, call.inner)
  if (!found) {
    throw usage(
      `${FLAG}: a function takes a column, or a function of a list, as in mean(count(menstrual_cycle.menstrual_flow))`,
    )
  }
  return found
}

function subQueryOf(func: string, inner: string): SubQuery | undefined {
  const conditional = LIST_WHERE.exec(inner)
  const list = listNamed(conditional?.[1] ?? inner, FLAG)
  if (!list) return undefined
  const arg = elementOf(func, list)
  return {
    select: { func, arg },
    from: { unnest: list.unnest },
    ...(conditional ? { where: (conditional[2] as string).trim() } : {}),
  }
}

function elementOf(func: string, { list, field, name }: FlagList): SubQuery['select']['arg'] {
  if (func === 'oldest' || func === 'newest')
    throw usage(`${FLAG}: ${func} does not take a list: its items have no index`)
  if (field === undefined) {
    if (func === 'count') return null
    const fields = list.fields.map(each => `${name}.${each.name}`)
    throw usage(`${FLAG}: ${func} of a list names a field of its items: ${fields.join(', ')}`)
  }
  if (list.elements === 'scalar') return { element: true }
  return { field_for: 'menstrual_cycle', [list.name]: field } as SubQuery['select']['arg']
}
