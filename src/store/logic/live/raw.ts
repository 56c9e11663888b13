/** Stores sealed raw responses. They are kept for debugging and for remaps. They have no checksum, because sealing detects changes. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { LiveKey } from '../../live/connections.ts'
import type { RawHead, RawResponse } from '../../live/pulls.ts'
import { RAW_ANSWER } from '../../tables/live.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'

interface RawRow {
  readonly user_id: UserId
  readonly provider: string
  readonly answer_id: string
  readonly collection: string
  readonly at: number
  readonly sealed: Uint8Array
  readonly pull_id: string | null
}

const RAW = new PlainRows<RawRow>(RAW_ANSWER)
const REMOVE_OLD = command('DELETE FROM raw_answer WHERE at<?')

export function* addRaw({ userId, provider }: LiveKey, responses: readonly RawResponse[]): Steps<void> {
  for (const { answerId, collection, at, sealed, pullId } of responses) {
    yield* RAW.send({ user_id: userId, provider, answer_id: answerId, collection, at, sealed, pull_id: pullId })
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
  return rows.map(row => ({ ...toHead(row), sealed: row.sealed }))
}

type HeadRow = Omit<RawRow, 'sealed'>

const HEADS = query<HeadRow>(
  `SELECT user_id, provider, answer_id, collection, at, pull_id FROM raw_answer WHERE user_id=? AND provider=?
   ORDER BY at, answer_id`,
)
const CONTENT = query<Pick<RawRow, 'sealed'>>(
  'SELECT sealed FROM raw_answer WHERE user_id=? AND provider=? AND answer_id=?',
)

/** Returns all of a connection's raw responses without their content, oldest first. */
export function* listRawHeads({ userId, provider }: LiveKey): Steps<RawHead[]> {
  return (yield* many(HEADS, [userId, provider])).map(toHead)
}

/** Returns the sealed content of a raw response, or null if it is no longer stored. */
export function* findRawContent({ userId, provider }: LiveKey, answerId: string): Steps<Uint8Array | null> {
  return (yield* one(CONTENT, [userId, provider, answerId]))?.sealed ?? null
}

function toHead({ answer_id: answerId, collection, at, pull_id: pullId }: HeadRow): RawHead {
  return { answerId, collection, at, pullId }
}

/** Removes raw responses received before this time. Returns their number. */
export function* removeRaw(before: EpochMs): Steps<number> {
  return yield* run(REMOVE_OLD, [before])
}
