/** Reads the source's overall state: its settings, and figures that change whenever the source changes. */
import { createHash } from 'node:crypto'
import type { TeamId } from '../../core/ids.ts'
import { lastPosition } from '../logic/events/positions.ts'
import { UNCHECKED_ROWS } from '../logic/rows/checked-rows.ts'
import { facts, many, one, query, type Steps } from '../logic/steps.ts'
import { STORE_ID } from '../logic/teams/settings.ts'
import { UNFINISHED_COPY } from '../logic/unfinished-copy.ts'
import { MASTER_KEY_CHECK } from '../postgres/master-key-setting.ts'
import { SNAPSHOT_SETTING } from '../sqlite/snapshots/moment.ts'
import { COPIED_TABLES } from './tables.ts'
import type { Setting } from './target-rows.ts'

/** Settings that belong to a single store and are not copied. */
const OWN_SETTINGS: readonly string[] = [STORE_ID, MASTER_KEY_CHECK, SNAPSHOT_SETTING, UNFINISHED_COPY, UNCHECKED_ROWS]

export interface SourceState {
  /** A hash of the figures, which changes whenever the source changes. */
  readonly digest: string
  /** Number of rows in each table. */
  readonly counts: ReadonlyMap<string, number>
  readonly rows: number
  readonly samples: number
  readonly settings: readonly Setting[]
  readonly hasUncheckedRows: boolean
  /** The positions to give, in the copy, to events that are still waiting for a position in the source, by `positionKey`. */
  readonly waiting: ReadonlyMap<string, number>
}

const SETTINGS = query<Setting>('SELECT name, value FROM setting ORDER BY name')
const SAMPLES = query<{ readonly samples: number }>('SELECT coalesce(sum(n), 0) AS samples FROM chunk')

interface WaitingRow {
  readonly team_id: TeamId
  readonly user_id: string
  readonly sequence: number
}

const WAITING = query<WaitingRow>(
  'SELECT team_id, user_id, sequence FROM event_waiting ORDER BY team_id, user_id, sequence',
)

/** Reads the source's state. Must run on a single snapshot. Does not read any large values. */
export function* sourceState(): Steps<SourceState> {
  const settings = yield* many(SETTINGS)
  const digest = createHash('sha256')
  const counts = new Map<string, number>()
  for (const { table, count } of COPIED_TABLES) {
    const { n = 0, state = 0 } = (yield* one(count)) ?? {}
    counts.set(table, n)
    digest.update(`${table} ${n} ${state}\n`)
  }
  const copied = settings.filter(({ name }) => !OWN_SETTINGS.includes(name)).map(asStored)
  const waiting = yield* waitingPositions()
  digest.update(JSON.stringify([copied, [...waiting]]))
  return {
    digest: digest.digest('hex'),
    counts,
    rows: [...counts.values()].reduce((sum, n) => sum + n, 0),
    samples: (yield* one(SAMPLES))?.samples ?? 0,
    settings: copied,
    waiting,
    hasUncheckedRows: settings.some(({ name }) => name === UNCHECKED_ROWS),
  }
}

export function positionKey({ user_id, sequence }: Pick<WaitingRow, 'user_id' | 'sequence'>): string {
  return `${user_id} ${sequence}`
}

/** Returns the positions of waiting events, which come after all other events of their team. */
function* waitingPositions(): Steps<ReadonlyMap<string, number>> {
  const positions = new Map<string, number>()
  if ((yield* facts()).eventPositions === 'in the row') return positions
  let [team, arrival] = ['', 0]
  for (const row of yield* many(WAITING)) {
    if (row.team_id !== team) arrival = (yield* lastPosition(row.team_id)).arrival
    team = row.team_id
    positions.set(positionKey(row), ++arrival)
  }
  return positions
}

/** Returns a value as its store stores it: PostgreSQL stores every value as text, but SQLite stores numbers as numbers. */
function asStored({ name, value }: Setting): Setting {
  const number = Number(value)
  return { name, value: Number.isSafeInteger(number) && `${number}` === `${value}` ? number : value }
}
