/** Where a Citus cluster stores a user's rows: the same hash as the server's, and the user that a statement is about. */
import { describe, expect, it } from 'vitest'
import { ownerOf, ShardMap } from '../../../src/store/postgres/cluster/shard-map.ts'
import { hashText } from '../../../src/store/postgres/cluster/text-hash.ts'

/** Texts with the results of `worker_hash` on Citus 13.2.2. */
const HASHES: readonly (readonly [string, number])[] = [
  ['aäc', -389027050],
  ['8f14e45', 1378604347],
  ['aäaäaäaäaäc20ad4d76fe9', -941657758],
  ['aäaäaäaäaäaäc51ce410c124a', -1799574278],
  ['aäaäaä1ff1de774005f8da13f42943', -2015056241],
  ['aäaäaäaä8e296a067a37563370ded05f5', 628066902],
  ['aäaäaäaäaä', 245644943],
  ['aäaäaäaäaäaä642e92efb794217', 1518605439],
  ['aäaäaä38', 5025807],
  ['aäaäaäaäec8', -2078362933],
  ['bd4c9ab730f5513206b999ec0d90d', -119598122],
  ['aä18d8', 1431138368],
]

const LOWEST = -(2 ** 31)
const MAP = new ShardMap([
  { owner: 'user', least: LOWEST, machine: 'a:1' },
  { owner: 'user', least: 0, machine: 'b:1' },
  { owner: 'user', least: 2 ** 30, machine: 'a:1' },
  { owner: 'team', least: LOWEST, machine: 'b:1' },
])

describe('the hash of a text', () => {
  it.each(HASHES)('is the one of the server: %j', (text, hash) => {
    expect(hashText(text)).toBe(hash)
  })
})

describe('a map of shards', () => {
  it('finds the machine of a user by the ranges of hashes', () => {
    for (const [text, hash] of HASHES)
      expect(MAP.machineOf({ kind: 'user', id: text })).toBe(hash >= 0 && hash < 2 ** 30 ? 'b:1' : 'a:1')
    expect(MAP.machineOf({ kind: 'team', id: 'x' })).toBe('b:1')
    expect(new ShardMap([]).machineOf({ kind: 'user', id: 'x' })).toBeUndefined()
  })

  it('says which share of the users is on some machines, and names a key on each', () => {
    expect(MAP.machines).toEqual(['a:1', 'b:1'])
    expect(MAP.shareOf(machine => machine === 'a:1')).toBeCloseTo(2 / 3)
    for (const machine of MAP.machines) expect(MAP.machineOf({ kind: 'user', id: MAP.keyOn(machine) })).toBe(machine)
  })

  it('changes the end of an ID until its row is on a machine', () => {
    const id = '01931f00-0000-7000-8000-0000fffffffe'
    for (const machine of MAP.machines) {
      const near = MAP.idOn(machine, id)
      expect(near).toMatch(/^[0-9a-f-]+$/)
      expect(near).toHaveLength(id.length)
      expect(near.slice(0, -6)).toBe(id.slice(0, -6))
      expect(MAP.machineOf({ kind: 'user', id: near })).toBe(machine)
    }
    expect(MAP.idOn('c:1', id)).toBe(id)
  })
})

describe('the owner of a statement', () => {
  it.each([
    ['SELECT 1 FROM user WHERE user_id=?', ['u'], 'user u'],
    ['SELECT sum(n) FROM chunk WHERE kind=? AND chunk.user_id = ? AND n>?', ['k', 'u', 1], 'user u'],
    ['DELETE FROM stream WHERE (user_id, workout_id)=(?,?)', ['u', 'w'], 'user u'],
    ['INSERT INTO job (user_id, kind) VALUES (?, ?)', ['u', 'purge'], 'user u'],
    ['SELECT user_id FROM directory WHERE team_id=? AND user_id=?', ['t', 'u'], 'team t'],
    ['UPDATE team_answer SET user_id=? WHERE team_id=?', ['u', 't'], 'team t'],
    ['INSERT INTO audit (team_id, at, entry_id) VALUES (?, ?, ?)', ['t', 1, 'e'], 'user e'],
    ['SELECT user_id FROM user WHERE team_id=?', ['t'], 'anywhere'],
    ['SELECT 1 FROM team JOIN "user" USING (team_id)', [], 'anywhere'],
    ['UPDATE user SET user_id=? WHERE team_id=?', ['u', 't'], 'anywhere'],
    ['SELECT name FROM team WHERE team_id=?', ['t'], null],
    ['SELECT id FROM store_lock WHERE id=1 FOR UPDATE', [], null],
  ])('%s', (text, values, owner) => {
    const found = ownerOf(text, values)
    expect(typeof found === 'object' && found ? `${found.kind} ${found.id}` : found).toBe(owner)
  })
})
