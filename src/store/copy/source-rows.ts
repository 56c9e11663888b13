/** Reads a store's rows slice by slice and verifies each row, so that damage is never copied. */
import { asChunkData, rowSeries } from '../logic/check/checksums.ts'
import { withPositions } from '../logic/events/positions.ts'
import { damaged, isBehind, requireProgress } from '../logic/rows/damage.ts'
import { CHUNK_HEADS, OUTBOX, type OutboxRow } from '../logic/rows/tables.ts'
import { isSteps, many, type SqlValue, type SqlValues, type Steps, together } from '../logic/steps.ts'
import { positionKey, type SourceState } from './source-state.ts'
import type { CopiedTable, Row } from './tables.ts'

/**
 * Maximum number of rows in a slice, which is one transaction, and maximum number of bytes of large values, which only a single row may
 * exceed.
 */
const MOST_ROWS = 1_000
const MOST_BYTES = 4 * 1024 * 1024

export interface Slice {
  /** The rows. Events include their position, wherever it is stored. */
  readonly rows: readonly Row[]
  readonly bytes: number
  /** The last row's key, or null if there are no more rows. */
  readonly last: SqlValues | null
}

/** Returns the rows after a key, or the first rows. Throws ServiceError `data_damaged` with the position of the damage. */
export function* readSlice(
  table: CopiedTable,
  after: SqlValues | null,
  { waiting }: Pick<SourceState, 'waiting'>,
): Steps<Slice> {
  const { count, bytes } = yield* fittingRows(table, after)
  if (count === 0) return { rows: [], bytes: 0, last: null }
  const rows = yield* many(after === null ? table.rows.first : table.rows.next, [...(after ?? []), count])
  requireOrder(table, rows)
  for (const row of rows) yield* requireSound(table, row)
  const end = rows.at(-1)
  return {
    rows: table.table === OUTBOX.table ? yield* withTeamPositions(rows, waiting) : rows,
    bytes,
    last: end === undefined ? null : table.key.map(name => end[name] as SqlValue), // every row has a key
  }
}

function* fittingRows(
  { sizes }: CopiedTable,
  after: SqlValues | null,
): Steps<{ readonly count: number; readonly bytes: number }> {
  if (sizes === null) return { count: MOST_ROWS, bytes: 0 }
  const found = yield* many(after === null ? sizes.first : sizes.next, [...(after ?? []), MOST_ROWS])
  let [count, bytes] = [0, 0]
  for (const row of found) {
    const more = Number(row['bytes'])
    if (count > 0 && bytes + more > MOST_BYTES) break
    bytes += more
    count++
  }
  return { count, bytes }
}

/** Throws if the keys do not ascend. Otherwise, a damaged key could lead back to earlier rows, and the traversal would never end. */
function requireOrder({ table, key }: CopiedTable, rows: readonly Row[]): void {
  for (const [i, row] of rows.entries()) {
    const before = rows[i - 1]
    if (before) requireProgress(isBehind(row, before, key), table)
  }
}

function* requireSound({ checked }: CopiedTable, row: Row): Steps<void> {
  for (const rows of checked) {
    const verified = rows.verified(row)
    if (isSteps(verified)) yield* verified
    if (rows !== CHUNK_HEADS) continue
    const blobs = rowSeries(row)
    if (!(yield* blobs.isSound(asChunkData(row)))) throw yield* blobs.damage(asChunkData(row).chunk_start)
  }
}

/** Returns events with their positions in their team's order. */
function* withTeamPositions(rows: readonly Row[], waiting: SourceState['waiting']): Steps<readonly Row[]> {
  const events = rows as readonly (OutboxRow & Row)[] // they were verified as rows of this table
  const byUser = new Map<string, OutboxRow[]>()
  for (const event of events) {
    const some = byUser.get(event.user_id)
    if (some) some.push(event)
    else byUser.set(event.user_id, [event])
  }
  const positioned = (yield* together(...[...byUser.values()].map(withPositions))).flat()
  const positions = new Map(positioned.map(event => [positionKey(event), event.arrival]))
  return events.map(event => {
    const arrival = positions.get(positionKey(event)) ?? waiting.get(positionKey(event))
    if (arrival === undefined) throw damaged(OUTBOX.damageLocation(event))
    return { ...event, arrival }
  })
}
