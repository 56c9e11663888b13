/** Reads and writes live connections as rows. The checksum does not cover the lease. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { LiveConnectionRecord, LiveKey } from '../../live/connections.ts'
import { storedJson } from '../rows/damage.ts'
import { CONNECTIONS, LIVE_CONNECTIONS, type LiveConnectionRow } from '../rows/tables.ts'
import { command, one, type Steps, send } from '../steps.ts'

export interface LeasedRow extends LiveConnectionRow {
  readonly leased_by: string | null
  readonly leased_until: number
}

export type Progress = LiveConnectionRecord['progress']
/** Times at which collections became due while they were being pulled. */
type Hastened = Readonly<Record<string, EpochMs>>

export const SELECT_LEASED = `SELECT ${LIVE_CONNECTIONS.columns}, leased_by, leased_until FROM live_connection`
const FIND_LEASED = LIVE_CONNECTIONS.widerQuery<LeasedRow>(`${SELECT_LEASED} WHERE user_id=? AND provider=?`)
const FIND_CONNECTION = CONNECTIONS.query('WHERE user_id=? AND provider=?')
const PUT_LEASE = command('UPDATE live_connection SET leased_by=?, leased_until=? WHERE user_id=? AND provider=?')

export function* findLeased({ userId, provider }: LiveKey): Steps<LeasedRow | undefined> {
  return yield* one(FIND_LEASED, [userId, provider])
}

/** Returns whether a connection is connected, which is required for a pull. */
export function* isConnected({ userId, provider }: LiveKey): Steps<boolean> {
  return (yield* one(FIND_CONNECTION, [userId, provider]))?.status === 'connected'
}

/** Records who holds the connection's lease, or null for none. */
export function* putLease({ userId, provider }: LiveKey, holder: string | null, until: EpochMs): Steps<void> {
  yield* send(PUT_LEASE, [holder, until, userId, provider])
}

/** Returns the row with new progress and the resulting changes. Collections that became due in the meantime stay due. */
export function progressed(row: LiveConnectionRow, progress: Progress, dueAt: EpochMs | null): LiveConnectionRow {
  const states = Object.values(progress)
  const pulls = states.flatMap(({ lastPullAt }) => lastPullAt ?? [])
  const hastened = Object.values(hastenedIn(row))
  return {
    ...row,
    progress: JSON.stringify(progress),
    due_at: dueAt === null ? null : Math.min(dueAt, ...hastened),
    // the connection is not pulled again before a new link
    hastened: dueAt === null ? null : row.hastened,
    in_history: states.some(({ isComplete }) => !isComplete) ? 1 : 0,
    last_pull_at: pulls.length === 0 ? row.last_pull_at : Math.max(...pulls),
  }
}

export function hastenedIn(row: LiveConnectionRow): Hastened {
  return row.hastened === null ? {} : parsed<Hastened>(row, row.hastened)
}

/** Returns the row after adding the collections that became due in the meantime to its progress. */
export function settled(row: LiveConnectionRow): LiveConnectionRow {
  if (row.hastened === null) return row
  const hastened = hastenedIn(row)
  const progress = Object.fromEntries(
    Object.entries(progressIn(row)).map(([name, state]) => [
      name,
      { ...state, dueAt: Math.min(state.dueAt, hastened[name] ?? state.dueAt) },
    ]),
  )
  return { ...progressed(row, progress, row.due_at), hastened: null }
}

export function progressIn(row: LiveConnectionRow): Progress {
  return parsed<Progress>(row, row.progress)
}

export function announcedIn(row: LiveConnectionRow): readonly string[] {
  return parsed<readonly string[]>(row, row.announced)
}

export function toLiveConnection(row: LeasedRow): LiveConnectionRecord {
  return {
    userId: row.user_id as UserId,
    teamId: row.team_id as TeamId,
    provider: row.provider,
    linkedAt: row.linked_at,
    dueAt: row.due_at,
    leasedBy: row.leased_by,
    leasedUntil: row.leased_until,
    progress: progressIn(row),
    announced: announcedIn(row),
    subscriptions: parsed<LiveConnectionRecord['subscriptions']>(row, row.subscriptions),
  }
}

function parsed<T>(row: LiveConnectionRow, text: string): T {
  return storedJson<T>(text, () => LIVE_CONNECTIONS.damageLocation(row))
}
