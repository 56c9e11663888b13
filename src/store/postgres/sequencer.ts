/**
 * Assigns events their positions in their team's order, after the commit that wrote them. Every few milliseconds, each process assigns
 * positions to the events that it has written. A sweep does the same for the events of a process that stopped in between. Meanwhile, the
 * team's row in `team_order` is locked, so that positions become visible in order and no cursor skips an event. See docs/postgres.md.
 */
import type { Pool } from 'pg'
import { getOrInsert } from '../../core/maps.ts'
import type { LastEvent, WireCounts } from './transaction.ts'

/** How long a commit's events wait for others, so that they are given positions together. */
const TOGETHER_MS = 10
/** Time after which a waiting event must come from a process that has stopped. */
const LEFT_MS = 5_000
const SWEEP_MS = 2_500
/** Maximum number of users who are looked up at once, and whose events are given positions in one transaction. */
const MOST = 2_000
const MOST_TOGETHER = 200

/** Stands for all of a user's events. */
const ALL = Number.MAX_SAFE_INTEGER

/** Users, each with the number of the last event that is given a position. */
type LastByUser = ReadonlyMap<string, number>

interface Waiting {
  readonly user_id: string
  readonly sequence: number
  /** Real time of the process that wrote the event, at the start of its transaction. */
  readonly since: number
}

const OF_TEAM = 'SELECT DISTINCT user_id FROM event_waiting WHERE team_id=$1 LIMIT $2'
const LEFT = 'SELECT DISTINCT team_id, user_id FROM event_waiting WHERE since<$1 LIMIT $2'
const OLDEST = 'SELECT min(since) AS since FROM event_waiting'
const LOCK_TEAM =
  'INSERT INTO team_order (team_id, last) VALUES ($1, 0) ON CONFLICT (team_id) DO UPDATE SET last=team_order.last RETURNING last'
/**
 * Uses `ANY` with a single array, so that one statement works for any number of users, and Citus queries only the machines with these users.
 * It deletes the rows without reading them first; `HOLD` in cluster/machines.ts explains why. Machines run it at slightly different times, so
 * it leaves events that were written after it was sent: otherwise, one of them might get a position before an older event of another user.
 */
const STOP_WAITING = `DELETE FROM event_waiting WHERE user_id=ANY($1) AND sequence<=($2::jsonb->>user_id)::bigint
  RETURNING user_id, sequence, since`
const ADD_POSITIONS = `INSERT INTO team_event (team_id, arrival, sequence, user_id)
  SELECT $1, arrival, sequence, user_id FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS placed (arrival, sequence, user_id)
  ON CONFLICT DO NOTHING`
const MOVE_ON = 'UPDATE team_order SET last=$2 WHERE team_id=$1'

export interface SequencerOptions {
  readonly pool: Pool
  readonly realNow: () => number
  readonly counts: WireCounts
  /** Whether to sweep. Only servers do so, because commands must end immediately. */
  readonly sweeps: boolean
}

export class Sequencer {
  private readonly options: SequencerOptions
  /** Users whose events this process has written since positions were last assigned. */
  private written = new Map<string, LastEvent>()
  private timer: NodeJS.Timeout | null = null
  private sweeper: NodeJS.Timeout | null = null
  private running: Promise<void> = Promise.resolve()
  /** Real time at which the last sweep saw the oldest waiting event, or null if there was none. */
  private oldest: number | null = null

  constructor(options: SequencerOptions) {
    this.options = options
    if (!options.sweeps) return
    let isSweeping = false
    const sweep = async (): Promise<void> => {
      // a machine of a cluster that does not respond delays a sweep for as long as a statement may take
      if (isSweeping) return
      isSweeping = true
      await this.sweep()
      isSweeping = false
    }
    this.sweeper = setInterval(() => void sweep(), SWEEP_MS)
    this.sweeper.unref()
  }

  /** How long the oldest event has been waiting for its position, in milliseconds, according to the last sweep. */
  get lagMs(): number {
    return this.oldest === null ? 0 : Math.max(0, this.options.realNow() - this.oldest)
  }

  /** Records the users whose events a commit wrote. Call this after the commit. */
  noted(written: ReadonlyMap<string, LastEvent>): void {
    for (const [userId, { teamId, last }] of written) {
      this.written.set(userId, { teamId, last: Math.max(last, this.written.get(userId)?.last ?? 0) })
    }
    this.timer ??= setTimeout(() => void this.settle(), TOGETHER_MS)
  }

  /** Waits until every event that this process has written has its position, or cannot be given one now. */
  settle(): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.running = this.running.then(() => this.positionNoted())
    return this.running
  }

  /** Assigns positions to all of a team's events that were committed before the call, whichever process wrote them. */
  async positionTeam(teamId: string): Promise<void> {
    for (;;) {
      const { rows } = await this.options.pool.query<{ user_id: string }>(OF_TEAM, [teamId, MOST])
      if (rows.length > 0) await this.positionUsers(teamId, new Map(rows.map(row => [row.user_id, ALL])))
      if (rows.length < MOST) return
    }
  }

  /** Assigns the remaining positions, then stops. */
  async close(): Promise<void> {
    if (this.sweeper) clearInterval(this.sweeper)
    await this.settle()
  }

  private async positionNoted(): Promise<void> {
    const { written } = this
    this.written = new Map()
    try {
      for (const [teamId, users] of byTeam(written)) await this.positionUsers(teamId, users)
    } catch {
      // a server's sweep assigns their positions
      for (const [userId, last] of written) if (!this.written.has(userId)) this.written.set(userId, last)
    }
  }

  private async sweep(): Promise<void> {
    try {
      const { pool, realNow } = this.options
      const { rows: waiting } = await pool.query<{ since: number | null }>(OLDEST)
      this.oldest = waiting[0]?.since ?? null
      if (this.oldest === null || realNow() - this.oldest < LEFT_MS) return
      const { rows } = await pool.query<{ team_id: string; user_id: string }>(LEFT, [realNow() - LEFT_MS, MOST])
      const left = new Map(rows.map(row => [row.user_id, { teamId: row.team_id, last: ALL }]))
      for (const [teamId, users] of byTeam(left)) await this.positionUsers(teamId, users)
    } catch {
      // the server is unavailable, so the next sweep retries
    }
  }

  private async positionUsers(teamId: string, users: LastByUser): Promise<void> {
    const all = [...users]
    for (let from = 0; from < all.length; from += MOST_TOGETHER)
      await this.positionSome(teamId, new Map(all.slice(from, from + MOST_TOGETHER)))
  }

  /** Assigns positions in one transaction, so that no other process assigns them too. */
  private async positionSome(teamId: string, users: LastByUser): Promise<void> {
    const client = await this.options.pool.connect()
    try {
      const begun = client.query('BEGIN')
      const locked = client.query<{ last: number }>(LOCK_TEAM, [teamId])
      const found = client.query<Waiting>(STOP_WAITING, [[...users.keys()], JSON.stringify(Object.fromEntries(users))])
      const [, last, { rows }] = await Promise.all([begun, locked, found])
      const waiting = inOrder(rows)
      const arrivals: number[] = []
      let arrival = last.rows[0]?.last ?? 0
      let user = ''
      for (const { user_id: userId, since } of waiting) {
        // use one position per run of a user's events, because the event numbers of different users may be equal
        if (userId !== user) arrival = Math.max(since, arrival + 1)
        user = userId
        arrivals.push(arrival)
      }
      const sequences = waiting.map(each => each.sequence)
      const positioned = waiting.map(each => each.user_id)
      await Promise.all([
        client.query(ADD_POSITIONS, [teamId, arrivals, sequences, positioned]),
        client.query(MOVE_ON, [teamId, arrival]),
        client.query('COMMIT'),
      ])
      this.options.counts.roundTrips += 2
      client.release()
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}

/** Returns events by time. Events of one user keep their own order, even if processes whose clocks differ wrote them. */
function inOrder(rows: readonly Waiting[]): Waiting[] {
  const latest = new Map<string, number>()
  const timed = rows
    .toSorted((a, b) => a.sequence - b.sequence)
    .map(row => {
      const since = Math.max(row.since, latest.get(row.user_id) ?? 0)
      latest.set(row.user_id, since)
      return { ...row, since }
    })
  return timed.sort(
    (a, b) => a.since - b.since || (a.user_id === b.user_id ? a.sequence - b.sequence : a.user_id < b.user_id ? -1 : 1),
  )
}

function byTeam(written: ReadonlyMap<string, LastEvent>): Map<string, Map<string, number>> {
  const users = new Map<string, Map<string, number>>()
  for (const [userId, { teamId, last }] of written) getOrInsert(users, teamId, () => new Map()).set(userId, last)
  return users
}
