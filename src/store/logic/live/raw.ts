/** Stores sealed raw responses. They are kept for debugging, and have no checksum, because nothing is computed from them. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { LiveKey } from '../../live/connections.ts'
import type { RawResponse } from '../../live/pulls.ts'
import { RAW_ANSWER } from '../../tables/live.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { command, many, run, type Steps } from '../steps.ts'

interface RawRow {
  readonly user_id: UserId
  readonly provider: string
  readonly answer_id: string
  readonly collection: string
  readonly at: number
  readonly sealed: Uint8Array
}

const RAW = new PlainRows<RawRow>(RAW_ANSWER)
const REMOVE_OLD = command('DELETE FROM raw_answer WHERE at<?')

export function* addRaw({ userId, provider }: LiveKey, responses: readonly RawResponse[]): Steps<void> {
  for (const { answerId, collection, at, sealed } of responses) {
    yield* RAW.send({ user_id: userId, provider, answer_id: answerId, collection, at, sealed })
  }
}

const NEWEST = RAW.query('WHERE user_id=? AND provider=? AND at<? ORDER BY at DESC, answer_id DESC LIMIT ?')
const NEWEST_OF_COLLECTION = RAW.query(
  'WHERE user_id=? AND provider=? AND at<? AND collection=? ORDER BY at DESC, answer_id DESC LIMIT ?',
)

/** Returns a connection's raw responses, newest first. */
export function* listRaw(
  { userId, provider }: LiveKey,
  {
    collection,
    before,
    limit,
  }: { readonly collection: string | null; readonly before: EpochMs; readonly limit: number },
): Steps<RawResponse[]> {
  const rows =
    collection === null
      ? yield* many(NEWEST, [userId, provider, before, limit])
      : yield* many(NEWEST_OF_COLLECTION, [userId, provider, before, collection, limit])
  return rows.map(({ answer_id: answerId, collection: name, at, sealed }) => ({
    answerId,
    collection: name,
    at,
    sealed,
  }))
}

/** Removes raw responses received before this time. Returns their number. */
export function* removeRaw(before: EpochMs): Steps<number> {
  return yield* run(REMOVE_OLD, [before])
}
