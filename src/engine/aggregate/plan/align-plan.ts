/** Checks what an align may be asked for (interface-gaps 4.9, align). */
import { QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import type { Align, CarryMode } from '../../../contract/aggregates/aggregate.ts'
import { type Span, yearsOf } from './calendar.ts'
import type { GroupKey } from './keys.ts'
import { type Loc, refuse } from './refusal.ts'

/** How the empty buckets of a result are filled. */
export interface Alignment {
  readonly mode: CarryMode
  /** How far a value is carried at most; null: as far as there are buckets. */
  readonly cap: Span | null
  /** The group key that is the date_trunc, and its bucket. */
  readonly key: number
  readonly bucket: Span
}

/** `selected` are the group keys among the select items. Throws a 422 that points at the offending part; `loc` is the query's. */
export function planAlign(
  { carry }: Align,
  keys: readonly GroupKey[],
  selected: ReadonlySet<number>,
  loc: Loc,
): Alignment {
  const alignLoc = [...loc, 'align']
  const part = keys.findIndex(key => key.kind === 'part')
  if (part >= 0) {
    const rule = 'align fills the buckets of a date_trunc, and a date_part has none: group by one or drop align'
    throw refuse([...loc, 'group_by', part, 'date_part'], rule)
  }
  const key = keys.findIndex(each => each.kind === 'trunc')
  const trunc = keys[key]
  if (trunc?.kind !== 'trunc') {
    throw refuse(alignLoc, 'align fills the buckets of a date_trunc: group_by needs one')
  }
  const missing = keys.findIndex((_, i) => !selected.has(i))
  if (missing >= 0) {
    const how = `select {"group_key": "*"} or {"group_key": ${missing}} too`
    throw refuse([...loc, 'select'], `align makes rows that only their group keys tell apart: ${how}`)
  }
  const name = carry.mode === 'carry_nearest' ? 'span' : 'max_age'
  const cap = (carry.mode === 'carry_nearest' ? carry.span : carry.max_age) ?? null
  if (cap !== null) checkCap(cap, trunc.span, name, [...alignLoc, 'carry', name])
  return { mode: carry.mode, cap, key, bucket: trunc.span }
}

/** Months and years are compared with days by their mean length. */
function checkCap(cap: Span, bucket: Span, name: string, loc: Loc): void {
  if (yearsOf(cap) < yearsOf(bucket)) {
    const long = `${bucket.value} ${bucket.unit}${bucket.value === 1 ? '' : 's'}`
    throw refuse(loc, `${name} is at least as long as a bucket, here ${long}: nothing could be carried otherwise`)
  }
  if (yearsOf(cap) > QUERY_LIMITS.bucketYears) {
    throw refuse(loc, `${name} is at most ${QUERY_LIMITS.bucketYears} years long`, 'query_limit')
  }
}
