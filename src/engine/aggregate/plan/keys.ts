/**
 * Resolves group_by: buckets and parts of the index, table columns, value macros and source columns. See
 * docs/interface/aggregates.md#aggregates-4.
 */
import { DATE_PARTS, type DatePart, QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import type { GroupItem } from '../../../contract/aggregates/aggregate.ts'
import type { ResultType } from '../result.ts'
import { approximateYears, type Span } from './calendar.ts'
import type { ColumnRef } from './columns.ts'
import { type Loc, refuse, refuseName } from './refusal.ts'
import type { Scope } from './scope.ts'

export type GroupKey =
  | { readonly kind: 'trunc'; readonly span: Span }
  | { readonly kind: 'part'; readonly part: DatePart }
  | { readonly kind: 'column'; readonly ref: ColumnRef }

/** Returns the type of a group key's column. */
export function keyType(key: GroupKey): ResultType {
  if (key.kind === 'trunc') return 'time'
  if (key.kind === 'column') return key.ref.type
  return key.part === 'year' || key.part === 'day_of_year' ? 'int16' : 'int8'
}

/** Returns a query's group keys in query order. */
export function planKeys(items: readonly GroupItem[], scope: Scope, loc: Loc): readonly GroupKey[] {
  const keys = items.map((item, i) => planKey(item, scope, [...loc, i]))
  const second = keys.findIndex((key, i) => key.kind === 'trunc' && keys.findIndex(each => each.kind === 'trunc') < i)
  if (second >= 0)
    throw refuse([...loc, second, 'date_trunc'], 'must be the only date_trunc: a query groups by at most one')
  return keys
}

function planKey(item: GroupItem, scope: Scope, loc: Loc): GroupKey {
  if ('date_trunc' in item) {
    checkIndex(item.arg, scope, [...loc, 'arg'])
    if (approximateYears(item.date_trunc) > QUERY_LIMITS.bucketYears) {
      throw refuse([...loc, 'date_trunc'], `must be at most ${QUERY_LIMITS.bucketYears} years long`, 'query_limit')
    }
    return { kind: 'trunc', span: item.date_trunc }
  }
  if ('date_part' in item) {
    checkIndex(item.arg, scope, [...loc, 'arg'])
    const part = DATE_PARTS.find(each => each === item.date_part)
    if (!part) throw refuseName([...loc, 'date_part'], 'date part', item.date_part, DATE_PARTS, 'invalid_request')
    return { kind: 'part', part }
  }
  return { kind: 'column', ref: scope.column(item, loc) }
}

function checkIndex(arg: { index: string } | { placeholder: true }, scope: Scope, loc: Loc): void {
  if ('placeholder' in arg) {
    throw refuse(
      [...loc, 'placeholder'],
      `a placeholder is allowed only in a continuous query. Write {"index": "${scope.table}"}.`,
    )
  }
  scope.column(arg, loc)
}
