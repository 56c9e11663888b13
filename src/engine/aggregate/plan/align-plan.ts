/** Validates a query's `align`. See docs/interface/aggregates.md#aggregates-6. */
import { QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import type { Align, CarryMode } from '../../../contract/aggregates/aggregate.ts'
import { approximateYears, type Span } from './calendar.ts'
import type { GroupKey } from './keys.ts'
import { type Loc, refuse } from './refusal.ts'

/** Describes how empty buckets of a result are filled. */
export interface Alignment {
  readonly mode: CarryMode
  /** Maximum distance over which a value is carried. Null means no limit. */
  readonly cap: Span | null
  /** The index of the date_trunc among the group keys, and its bucket. */
  readonly key: number
  readonly bucket: Span
}

/**
 * Plans an `align`. `selected` lists the group keys among the select items. `loc` is the query's path in the body. Throws a 422 for the
 * invalid part.
 */
export function planAlign(
  { carry }: Align,
  keys: readonly GroupKey[],
  selected: ReadonlySet<number>,
  loc: Loc,
): Alignment {
  const alignLoc = [...loc, 'align']
  const part = keys.findIndex(key => key.kind === 'part')
  if (part >= 0) {
    const rule =
      'cannot be combined with align, which fills the buckets of a date_trunc. Group by a date_trunc instead, or remove align.'
    throw refuse([...loc, 'group_by', part, 'date_part'], rule)
  }
  const key = keys.findIndex(each => each.kind === 'trunc')
  const trunc = keys[key]
  if (trunc?.kind !== 'trunc') {
    throw refuse(alignLoc, 'needs a date_trunc in group_by, whose buckets it fills')
  }
  const missing = keys.findIndex((_, i) => !selected.has(i))
  if (missing >= 0) {
    const how = `Also select {"group_key": "*"} or {"group_key": ${missing}}.`
    throw refuse(
      [...loc, 'select'],
      `must include every group key, because otherwise the rows that align adds cannot be distinguished. ${how}`,
    )
  }
  const name = carry.mode === 'carry_nearest' ? 'span' : 'max_age'
  const cap = (carry.mode === 'carry_nearest' ? carry.span : carry.max_age) ?? null
  if (cap !== null) checkCap(cap, trunc.span, name, [...alignLoc, 'carry', name])
  return { mode: carry.mode, cap, key, bucket: trunc.span }
}

/** Checks the distance over which values are carried. Months and years are converted to days by their mean length. */
function checkCap(cap: Span, bucket: Span, name: string, loc: Loc): void {
  if (approximateYears(cap) < approximateYears(bucket)) {
    const long = `${bucket.value} ${bucket.unit}${bucket.value === 1 ? '' : 's'}`
    throw refuse(
      loc,
      `${name} must be at least as long as a bucket, which is ${long} here; otherwise nothing could be carried`,
    )
  }
  if (approximateYears(cap) > QUERY_LIMITS.bucketYears) {
    throw refuse(loc, `${name} must be at most ${QUERY_LIMITS.bucketYears} years long`, 'query_limit')
  }
}
