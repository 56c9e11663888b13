/** Events are kept for as long as the team says, and longer while they are still needed. */
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { SqliteDatabase } from '../../../src/store/sqlite/database.ts'
import { NOON } from '../../kit/harness.ts'
import { heart, openTeam, type Team } from './team.ts'

const count = async (team: Team) => (await team.h.call('event.list', { query: { limit: 500 } })).data.length
const runDue = async (team: Team) =>
  (await team.h.call('engine.run_due', {})).ran.find(each => each.kind === 'retention')
const problems = async (team: Team) => (await team.h.call('engine.check', {})).problems

const day = (n: number) => [heart(n, 60, { timestamp: new Date(NOON + (n - 1) * DAY_MS).toISOString() })]

describe('events', () => {
  it('are removed after thirty days, oldest first, and the remaining ones keep their numbers', async () => {
    const team = await openTeam()
    for (let n = 0; n < 40; n += 10) {
      await team.push(day(n))
      team.h.time.ms += 10 * DAY_MS
    }
    const before = (await team.h.call('event.list', { query: { order: 'asc', limit: 500 } })).data
    expect(await runDue(team)).toEqual({ kind: 'retention', count: 1 })
    const after = (await team.h.call('event.list', { query: { order: 'asc', limit: 500 } })).data
    expect(after.length).toBeLessThan(before.length)
    expect(after).toEqual(before.slice(-after.length))
    expect(await runDue(team)).toBeUndefined()
    expect(await problems(team)).toEqual([])
    team.h.time.ms += 40 * DAY_MS
    await runDue(team)
    expect(await count(team)).toBe(0)
    await team.push(day(80))
    const [next] = (await team.h.call('event.list', {})).data
    expect(next?.sequence).toBeGreaterThan(before.at(-1)?.sequence as number)
    expect(await problems(team)).toEqual([])
  })

  it('are kept for the number of days that the team sets, from then on', async () => {
    const team = await openTeam()
    const params = { team_id: team.h.team.teamId }
    expect(await team.h.call('team.update', { params, body: {} })).toMatchObject({ event_days: 30 })
    await team.push(day(0))
    team.h.time.ms += 3 * DAY_MS
    await runDue(team)
    expect(await count(team)).toBeGreaterThan(0)
    expect(await team.h.call('team.update', { params, body: { event_days: 2 } })).toMatchObject({ event_days: 2 })
    await runDue(team)
    expect(await count(team)).toBe(0)
    for (const event_days of [0, 3_651, 1.5]) {
      expect((await team.h.refusal('team.update', { params, body: { event_days } })).status).toBe(422)
    }
  })

  it('that are still waiting for an endpoint stay', async () => {
    const team = await openTeam()
    await team.endpoint('slow', ['daily.data.heartrate.*'])
    await team.push(day(0))
    await team.push(day(1))
    team.h.time.ms += 40 * DAY_MS
    await runDue(team)
    const { data } = await team.h.call('event.list', {})
    expect(data.map(each => each.event_type)).toEqual(['daily.data.heartrate.created', 'daily.data.heartrate.created'])
    await team.h.engine.context.store.webhooks.remove(team.h.team.teamId, 'slow')
    team.h.time.ms += DAY_MS
    await runDue(team)
    expect(await count(team)).toBe(0)
    expect(await problems(team)).toEqual([])
  })

  it('do not wait for an endpoint whose removal was interrupted', async () => {
    const team = await openTeam()
    await team.endpoint('slow', ['daily.data.heartrate.*'])
    await team.push(day(0))
    // the process was killed after the first step of the removal
    const { database } = team.h.engine.folder
    const db = new SqliteDatabase({ path: database, waitForLock: 'blocking', durable: true })
    db.run("DELETE FROM endpoint WHERE endpoint_id='slow'")
    db.close()
    team.h.time.ms += 40 * DAY_MS
    await runDue(team)
    expect(await count(team)).toBe(0)
    expect(await problems(team)).toEqual([])
  })

  it('of an import are no longer listed, and the import can still be undone', async () => {
    const team = await openTeam()
    await team.push([heart(0, 60)])
    const bytes = Buffer.from(['{"resource":"heartrate","timestamp":"2026-11-20T11:00:00Z","value":88}', ''].join('\n'))
    const { Readable } = await import('node:stream')
    const { import_id } = await team.h.call('import.create', {
      params: { user_id: team.userId },
      body: { kind: 'stream' as const, stream: Readable.from([bytes]) },
    })
    team.h.time.ms += 40 * DAY_MS
    await runDue(team)
    expect(await count(team)).toBe(0)
    expect(await problems(team)).toEqual([])
    const params = { user_id: team.userId, import_id: import_id as string }
    await team.h.call('import.undo', { params })
    const [back] = await team.bodies('daily.data.heartrate.updated')
    expect(back?.data.data).toMatchObject([{ value: 60 }])
    expect(await problems(team)).toEqual([])
    const kept = await team.h.engine.context.store.events.ofUser(team.userId, 0, 100)
    expect(kept.filter(each => each.arrival === 0)).toEqual([])
  })
})
