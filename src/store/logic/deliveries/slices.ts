/**
 * Manages slices of users, each of which belongs to one process at a time. User IDs are random, so their first byte is as good as a hash. A
 * slice is identified by that byte, and its users are a range in the indexes.
 */
import type { UserId } from '../../../core/ids.ts'
import { fairShare, SLICE_COUNT } from '../../delivery.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'

/** Two hexadecimal digits. */
type Slice = string

const ALL: readonly Slice[] = Array.from({ length: SLICE_COUNT }, (_, byte) => byte.toString(16).padStart(2, '0'))
/** Comes after every user ID in the sort order. */
const END = 'g'

export function userSlice(userId: UserId): Slice {
  return userId.slice(0, 2)
}

/** SQL for a user's slice. */
const SLICE_OF_USER = 'substr(user_id, 1, 2)'

/** A condition with two values: the row's user is in one of this process's slices, and the slice is not after the given one. */
export const IN_SLICES = `${SLICE_OF_USER} IN (SELECT slice FROM delivery_slice WHERE deliverer_id=? AND slice<=?)`

/** User IDs after `after`, up to `upTo`. */
export interface UserRange {
  readonly after: string
  readonly upTo: string
}

interface SliceCount {
  readonly taken: number
  readonly own: number
}

const COUNT_SLICES = query<SliceCount>(
  'SELECT count(*) AS taken, count(CASE WHEN deliverer_id=? THEN 1 END) AS own FROM delivery_slice',
)
const TAKEN_SLICES = query<{ readonly slice: Slice }>('SELECT slice FROM delivery_slice')
const SLICES_OF = query<{ readonly slice: Slice }>(
  'SELECT slice FROM delivery_slice WHERE deliverer_id=? ORDER BY slice',
)
const TAKE = command('INSERT INTO delivery_slice (slice, deliverer_id) VALUES (?,?) ON CONFLICT (slice) DO NOTHING')
const GIVE_BACK = command('DELETE FROM delivery_slice WHERE slice=? AND deliverer_id=?')
const GIVE_BACK_ALL = command('DELETE FROM delivery_slice WHERE deliverer_id=?')
const LEASED_SLICES = query<{ readonly slice: Slice }>(
  `SELECT DISTINCT ${SLICE_OF_USER} AS slice FROM delivery WHERE leased_by=?`,
)

export function* countSlices(delivererId: string): Steps<SliceCount> {
  return (yield* one(COUNT_SLICES, [delivererId])) ?? { taken: 0, own: 0 }
}

export function* listSlices(delivererId: string): Steps<Slice[]> {
  return (yield* many(SLICES_OF, [delivererId])).map(({ slice }) => slice)
}

/**
 * Brings the process closer to its fair share, and returns the slices in which it can lease. Its other slices have unfinished leases, and
 * are released afterwards.
 */
export function* settleSlices(delivererId: string, living: number): Steps<readonly Slice[]> {
  const share = fairShare(living)
  const { taken, own } = yield* countSlices(delivererId)
  if (own === SLICE_COUNT && share === SLICE_COUNT) return ALL
  if (own < share && taken < SLICE_COUNT) yield* takeFree(delivererId, share - own)
  const slices = yield* listSlices(delivererId)
  const surplus = slices.splice(share)
  if (surplus.length > 0) yield* giveBack(delivererId, surplus)
  return slices
}

/** Releases all of a process's slices. */
export function* giveBackAll(delivererId: string): Steps<void> {
  yield* run(GIVE_BACK_ALL, [delivererId])
}

function* takeFree(delivererId: string, most: number): Steps<void> {
  const taken = new Set((yield* many(TAKEN_SLICES)).map(({ slice }) => slice))
  const free = ALL.filter(slice => !taken.has(slice))
  for (const slice of free.slice(0, most)) yield* run(TAKE, [slice, delivererId])
}

function* giveBack(delivererId: string, surplus: readonly Slice[]): Steps<void> {
  const busy = new Set((yield* many(LEASED_SLICES, [delivererId])).map(({ slice }) => slice))
  for (const slice of surplus) if (!busy.has(slice)) yield* run(GIVE_BACK, [slice, delivererId])
}

/** Returns the users of these slices as a small number of ranges. The slices must be in order. */
export function toUserRanges(slices: readonly Slice[]): UserRange[] {
  const ranges: UserRange[] = []
  for (const slice of slices) {
    const byte = Number.parseInt(slice, 16)
    const after = byte === 0 ? '' : slice
    const upTo = ALL[byte + 1] ?? END
    const last = ranges.at(-1)
    if (last?.upTo === after) ranges[ranges.length - 1] = { after: last.after, upTo }
    else ranges.push({ after, upTo })
  }
  return ranges
}

/** Returns the same users, starting after one of them and wrapping around. */
export function rangesFrom(ranges: readonly UserRange[], start: string): UserRange[] {
  const rest = ranges.filter(({ upTo }) => upTo > start)
  const first = ranges.filter(({ after }) => after < start)
  return [
    ...rest.map(({ after, upTo }) => ({ after: after > start ? after : start, upTo })),
    ...first.map(({ after, upTo }) => ({ after, upTo: upTo < start ? upTo : start })),
  ]
}
