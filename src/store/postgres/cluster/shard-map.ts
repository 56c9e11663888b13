/** Which machine of a Citus cluster stores the rows of a user or team, and whose rows a statement is about. */
import type { Pool } from 'pg'
import type { SqlText, SqlValues } from '../../logic/steps.ts'
import type { Table } from '../../tables/table.ts'
import { DIRECTORY } from '../../tables/teams.ts'
import { USER } from '../../tables/users.ts'
import { POSTGRES } from '../dialect.ts'
import { TABLES } from '../schema/tables.ts'
import type { Machine } from './machine-down.ts'
import { hashText } from './text-hash.ts'

/** What determines where a row is stored. */
type OwnerKind = 'user' | 'team'

export interface Owner {
  readonly kind: OwnerKind
  readonly id: string
}

interface ShardRow {
  readonly owner: OwnerKind
  readonly least: number
  readonly machine: Machine
}

const SHARDS = `SELECT CASE WHEN logicalrelid='"${USER.name}"'::regclass THEN 'user' ELSE 'team' END AS owner,
    shardminvalue::int AS least, nodename || ':' || nodeport AS machine
  FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
  WHERE logicalrelid IN ('"${USER.name}"'::regclass, '${DIRECTORY.name}'::regclass) AND noderole='primary' ORDER BY 1, 2`

/** Hexadecimal digits at the end of an ID that may be replaced, and how often. A cluster has fewer machines than that. */
const TRIED_DIGITS = 6
const MOST_TRIED = 1_000

/** An outdated map is only slower: it never decides what is read or written. */
export class ShardMap {
  private readonly shards: Readonly<Record<OwnerKind, readonly ShardRow[]>>

  constructor(shards: readonly ShardRow[]) {
    const of = (kind: OwnerKind): ShardRow[] => shards.filter(({ owner }) => owner === kind)
    this.shards = { user: of('user'), team: of('team') }
  }

  static async read(pool: Pool): Promise<ShardMap> {
    return new ShardMap((await pool.query<ShardRow>(SHARDS)).rows)
  }

  /** The machines that store users. */
  get machines(): readonly Machine[] {
    return [...new Set(this.shards.user.map(({ machine }) => machine))]
  }

  /** Returns the share of all users whose rows are on such machines, from 0 to 1. */
  shareOf(isSuch: (machine: Machine) => boolean): number {
    const { user } = this.shards
    return user.filter(({ machine }) => isSuch(machine)).length / Math.max(1, user.length)
  }

  /** Returns the machine of an owner's rows, or undefined if the map is empty. */
  machineOf({ kind, id }: Owner): Machine | undefined {
    const shards = this.shards[kind]
    const hash = hashText(id)
    let [low, high] = [0, shards.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((shards[middle] as ShardRow).least <= hash) low = middle + 1
      else high = middle
    }
    return shards[low - 1]?.machine
  }

  /** Returns an ID whose row would be on this machine: the last digits of the given ID are replaced until it is. */
  idOn(machine: Machine, id: string): string {
    const kept = id.slice(0, -TRIED_DIGITS)
    const first = Number.parseInt(id.slice(-TRIED_DIGITS), 16)
    for (let i = 0; i < MOST_TRIED; i++) {
      const tried = kept + ((first + i) % 16 ** TRIED_DIGITS).toString(16).padStart(TRIED_DIGITS, '0')
      if (this.machineOf({ kind: 'user', id: tried }) === machine) return tried
    }
    return id
  }

  /** Returns a text that is not a user's ID, and whose row would be on this machine, which must store users. */
  keyOn(machine: Machine): string {
    for (let i = 0; ; i++) {
      const id = `probe ${i}`
      if (this.machineOf({ kind: 'user', id }) === machine) return id
    }
  }
}

const SPREAD = TABLES.filter(({ owner, cluster }) => owner !== 'store' && cluster === undefined)
const TEAM_TABLES = SPREAD.filter(({ owner, placedBy }) => owner === 'team' && !placedBy)
const IS_OF_TEAM = naming('FROM|UPDATE|INTO', TEAM_TABLES)
const IS_SPREAD = naming('FROM|JOIN|UPDATE|INTO', SPREAD)

/** Matches one of these words before one of these tables. */
function naming(words: string, tables: readonly Table[]): RegExp {
  return new RegExp(`\\b(?:${words}) "?(?:${tables.map(({ name }) => name).join('|')})\\b`, 'i')
}

/** Matches up to the placeholder for the owner of a statement's rows. */
const NAMES_OWNER: Readonly<Record<OwnerKind, RegExp>> = { user: namingOwner('user_id'), team: namingOwner('team_id') }

function namingOwner(column: string): RegExp {
  const condition = `\\b(?:WHERE|AND) \\(?(?:\\w+\\.)?${column}(?:, ?\\w+)*\\)? ?= ?\\(?\\?`
  return new RegExp(`${condition}|^INSERT INTO \\w+ \\(${column}\\b[^?]*\\?`, 'i')
}

interface Place {
  readonly kind: OwnerKind
  /** Index of the value that names the owner, or -1. */
  readonly index: number
  /** Whether the rows may be on every machine. */
  readonly isAnywhere: boolean
}

const places = new Map<SqlText, Place>()

/**
 * Returns whose rows a statement reads or changes, `anywhere` if it does not name one owner, or null if every machine has the rows or only
 * the coordinator has them. A row that is placed by its own ID counts as the rows of a user with this ID.
 */
export function ownerOf(text: SqlText, values: SqlValues): Owner | 'anywhere' | null {
  let place = places.get(text)
  if (place === undefined) {
    place = findOwner(typeof text === 'string' ? text : text(POSTGRES))
    places.set(text, place)
  }
  const id = values[place.index]
  if (typeof id === 'string') return { kind: place.kind, id }
  return place.isAnywhere ? 'anywhere' : null
}

function findOwner(text: string): Place {
  const kind = IS_OF_TEAM.test(text) ? 'team' : 'user'
  const isAnywhere = IS_SPREAD.test(text)
  const [, table = '', columns = ''] = /^INSERT INTO (\w+) \(([^)]*)\) VALUES/i.exec(text) ?? []
  const placedBy = SPREAD.find(({ name }) => name === table)?.placedBy
  if (placedBy !== undefined) return { kind, index: columns.split(/, */).indexOf(placedBy), isAnywhere }
  const found = NAMES_OWNER[kind].exec(text)
  if (found === null) return { kind, index: -1, isAnywhere }
  const mark = found.index + found[0].length - 1
  return { kind, index: (text.slice(0, mark).match(/\?/g) ?? []).length, isAnywhere }
}
