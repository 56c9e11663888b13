/** While a team has a byte limit, every change updates the bytes of its user exactly, whatever changes them. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonReply } from '../../../src/contract/kernel/operation.ts'
import { ChangeCounts } from '../../../src/store/logic/rows/counted-bytes.ts'
import { SQLITE } from '../../../src/store/sqlite/dialect.ts'
import { near, prepareGround } from '../../contract/conversation/ways.ts'
import { wholeConversation } from '../../contract/conversation/whole.ts'
import { converse, type Step } from '../../contract/conversation.ts'
import { inBytes } from '../../engine/links/linked-user.ts'
import { Mover, moves } from '../../engine/recordings/recording-moves.ts'
import { times } from '../../kit/effort.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'

const MANY = 1e12

async function limit({ call, team }: Harness, body: object): Promise<number | null> {
  return (await call('team.update', { params: { team_id: team.teamId }, body })).stored_bytes
}

/** Returns the stored bytes as counted with each change, and as counted anew. */
async function countedTwice(h: Harness) {
  const counted = (await h.call('team.list', {})).teams[0]?.stored_bytes
  await limit(h, { max_bytes: null })
  return { counted, again: await limit(h, { max_bytes: MANY }) }
}

const problems = async (h: Harness) => (await h.call('engine.check', {})).problems

it('after any actions, with events that are kept for a day', async () => {
  await fc.assert(
    fc.asyncProperty(moves(15, 30), async some => {
      const h = await openHarness()
      await limit(h, { max_bytes: MANY, event_days: 1 })
      const mover = new Mover(h)
      for (const move of [{ kind: 'create', who: 0, what: 0 } as const, ...some]) {
        await mover.make(move)
        expect(await problems(h)).toEqual([])
      }
      const { counted, again } = await countedTwice(h)
      expect(counted).toBe(again)
      await h.engine.close()
    }),
    { seed, numRuns: times(4), verbose: 1 },
  )
}, 240_000)

it('when a day with many samples is split, and when it is deleted', async () => {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'dense' } })
  await limit(h, { max_bytes: MANY })
  const params = { user_id }
  const start = Date.parse('2026-11-02T00:00:00Z')
  for (const part of [0, 1]) {
    const samples = Array.from({ length: 9_000 }, (_, i) => ({
      resource: 'heartrate',
      provider: 'polar',
      source_type: 'watch',
      timestamp: new Date(start + (2 * i + part) * 4_000).toISOString(),
      value: 60 + ((i * i + part) % 97) / 7,
    }))
    await h.call('samples.push', { params, body: inBytes({ samples }) })
    expect(await problems(h)).toEqual([])
  }
  const { counted, again } = await countedTwice(h)
  expect(counted).toBeGreaterThan(100_000)
  expect(counted).toBe(again)
  const query = { start_date: '2026-11-02', end_date: '2026-11-03' }
  await h.call('timeseries.delete', { params: { ...params, resource: 'heartrate' }, query })
  const after = await countedTwice(h)
  expect(after.counted).toBe(after.again)
  expect(after.counted).toBeLessThan(counted ?? 0)
})

it('during a whole conversation', async () => {
  const limited: Step = {
    name: 'limit the bytes',
    id: 'team.update',
    async run(client) {
      const { body } = (await client.call('team.list', {})) as JsonReply<{ teams: { team_id: string }[] }>
      return client.call('team.update', {
        params: { team_id: `${body.teams[0]?.team_id}` },
        body: { max_bytes: MANY },
      })
    },
  }
  const check = ({ name }: Step): Step => ({
    name: `check after: ${name}`,
    id: 'engine.check',
    run: client => client.call('engine.check', {}),
  })
  const ground = await prepareGround()
  const client = await near(ground)
  // a check takes much longer than the steps
  const steps = [limited, ...wholeConversation].flatMap((step, i) => (i % 10 === 9 ? [step, check(step)] : [step]))
  const outcomes = await converse(client, steps, ground)
  await client.close()
  expect(outcomes.get(limited.name)?.body).toContain('"stored_bytes":0')
  const reports = Array.from(outcomes, ([name, { body }]) => ({ name, body })).filter(({ name }) =>
    name.startsWith('check after: '),
  )
  expect(reports.length).toBeGreaterThan(20)
  expect(reports.filter(({ body }) => !body.includes('"problems":[]'))).toEqual([])
}, 120_000)

it.each([
  'DELETE FROM chunk WHERE series_id=?',
  'DELETE FROM chunk WHERE (user_id, series_id)=(?,?)',
  "UPDATE summary SET document=document||'x' WHERE user_id=?",
  'INSERT INTO insurance (user_id, document) VALUES (?,?) ON CONFLICT DO NOTHING',
  'INSERT INTO insurance (user_id, document) VALUES (?,?) ON CONFLICT (user_id) DO UPDATE SET number=1',
  'INSERT INTO stream (user_id, data) SELECT user_id, data FROM stream',
  'INSERT INTO stream (user_id, data) VALUES (?,?),(?,?)',
])('a statement that cannot be counted fails: %s', text => {
  expect(() => new ChangeCounts(SQLITE).of(text)).toThrow('cannot count')
})

it.each([
  'UPDATE chunk SET data_checksum=? WHERE rowid=?',
  'DELETE FROM chunk',
  'DELETE FROM team WHERE team_id=?',
  'UPDATE user SET deleted_at=? WHERE user_id=?',
])('a statement that changes no counted bytes is not counted: %s', text => {
  expect(new ChangeCounts(SQLITE).of(text)).toBeNull()
})
