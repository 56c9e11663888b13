/** Parses one --select of a query with --per: a nested function, such as `mean(sum(steps))`. */
import { queryResource } from '../../catalogue/query-columns.ts'
import type { SelectItem } from '../../contract/aggregates/aggregate.ts'
import { usageError } from './aggregate-flag-columns.ts'
import { parseCall, selectItem } from './aggregate-flag-select.ts'

export const NESTED_FORM = "Write a function of a function, as in --select 'mean(sum(steps))' --per 1d."

type GroupKeyItem = Extract<SelectItem, { group_key: unknown }>

/** Parses an item without its name: a group key, or a function and the text of its inner function. Throws ServiceError `usage`. */
export function outerItem(text: string): GroupKeyItem | { readonly func: string; readonly inner: string } {
  if (text.startsWith('group_key')) return selectItem(text) as GroupKeyItem // a group key looks like a nested function
  const call = parseCall(text)
  if (call === undefined || parseCall(call.inner) === undefined) {
    throw usageError(`--select: with --per, "${text}" must be a function of a function. ${NESTED_FORM}`)
  }
  return call
}

/** Returns the result column names of a query's functions. See docs/interface/aggregates.md#aggregates-11. */
export function innerNames(select: readonly SelectItem[]): readonly string[] {
  const functions = select.flatMap(item => ('func' in item ? [item] : []))
  const isAlone = new Set(functions.map(({ arg }) => JSON.stringify(arg))).size === 1
  return functions.map(({ func, arg }) => (isAlone ? func : `${func}.${argumentName(arg)}`))
}

function argumentName(arg: Extract<SelectItem, { func: string }>['arg']): string {
  if (arg === null || 'index' in arg) return 'index'
  if ('value_macro' in arg) return arg.value_macro
  if ('timeseries' in arg) {
    const name = queryResource(arg.timeseries)?.queryName ?? arg.timeseries
    return arg.field === 'value' ? name : `${name}.${arg.field}`
  }
  if ('from' in arg) {
    const list = 'timeseries' in arg.from.unnest ? arg.from.unnest.field : Object.values(arg.from.unnest)[0]
    const { func, arg: of } = arg.select
    const field = of === null ? [] : 'element' in of ? ['element'] : [of[`${list}`]]
    return [func, list, ...field].join('.')
  }
  return `${Object.values(arg)[0]}`
}
