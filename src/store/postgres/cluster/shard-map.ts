/** Where the rows of users are stored in a Citus cluster. An outdated map is only slower: it never decides what is read or written. */
import type { Pool } from 'pg'
import type { SqlText, SqlValues } from '../../logic/steps.ts'
import { POSTGRES } from '../dialect.ts'
import type { Machine } from './machine-down.ts'
import { hashText } from './text-hash.ts'

interface ShardRow {
  readonly least: number
  readonly machine: Machine
}

const SHARDS = `SELECT shardminvalue::int AS least, nodename || ':' || nodeport AS machine
  FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
  WHERE logicalrelid='"user"'::regclass AND noderole='primary' ORDER BY 1`

/** Matches up to the placeholder for the user whose rows a statement is about. */
const NAMES_USER = /\b(?:WHERE|AND) \(?(?:\w+\.)?user_id(?:, ?\w+)*\)? ?= ?\(?\?|^INSERT INTO \w+ \(user_id\b[^?]*\?/i
/** In tables of teams, the user does not determine the shard. */
const OF_TEAMS = /\b(?:FROM|UPDATE|INTO) (?:directory|team_answer)\b/i

export class ShardMap {
  private readonly shards: readonly ShardRow[]

  constructor(shards: readonly ShardRow[]) {
    this.shards = shards
  }

  static async read(pool: Pool): Promise<ShardMap> {
    return new ShardMap((await pool.query<ShardRow>(SHARDS)).rows)
  }

  get machines(): readonly Machine[] {
    return [...new Set(this.shards.map(({ machine }) => machine))]
  }

  /** Returns the share of all users whose rows are on such machines, from 0 to 1. */
  shareOf(isSuch: (machine: Machine) => boolean): number {
    return this.shards.filter(({ machine }) => isSuch(machine)).length / Math.max(1, this.shards.length)
  }

  /** Returns the machine of a user's rows, or undefined if the map is empty. */
  machineOf(userId: string): Machine | undefined {
    const hash = hashText(userId)
    let [low, high] = [0, this.shards.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.shards[middle] as ShardRow).least <= hash) low = middle + 1
      else high = middle
    }
    return this.shards[low - 1]?.machine
  }

  /** Returns a text that is not a user's ID, and whose row would be on this machine, which must have a shard. */
  keyOn(machine: Machine): string {
    for (let i = 0; ; i++) if (this.machineOf(`probe ${i}`) === machine) return `probe ${i}`
  }
}

const positions = new Map<SqlText, number>()

/** Returns the user whose rows a statement reads or changes, or null if it names none. */
export function userOf(text: SqlText, values: SqlValues): string | null {
  let position = positions.get(text)
  if (position === undefined) {
    position = positionOfUser(typeof text === 'string' ? text : text(POSTGRES))
    positions.set(text, position)
  }
  const value = values[position]
  return typeof value === 'string' ? value : null
}

/** Returns the index of the value that names the user, or -1. */
function positionOfUser(text: string): number {
  const found = OF_TEAMS.test(text) ? null : NAMES_USER.exec(text)
  if (found === null) return -1
  const mark = found.index + found[0].length - 1
  return (text.slice(0, mark).match(/\?/g) ?? []).length
}
