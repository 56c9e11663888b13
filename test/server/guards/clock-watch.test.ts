/** A running server follows changes that another process makes to its data folder: a moved clock, a replaced store. */
import { afterEach, describe, expect, it } from 'vitest'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { serve, type TestServer } from '../../kit/server.ts'
import { until } from '../../kit/until.ts'

const open: Harness[] = []
const beside = async (server: TestServer) => {
  const made = await openHarness({ dataDir: server.dataDir })
  open.push(made)
  return made
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.engine.close()))
})

async function msUntil(isSo: () => boolean): Promise<number> {
  const began = performance.now()
  await until(isSo)
  return performance.now() - began
}

const create = async (server: TestServer, name: string) =>
  (
    (await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: name }) })).json as {
      user_id: string
    }
  ).user_id
const names = async (server: TestServer) =>
  ((await server.ask('GET', '/v2/user')).json as { users: { client_user_id: string }[] }).users
    .map(user => user.client_user_id)
    .sort()
const purges = (server: TestServer) => server.lines.filter(line => line.startsWith('due jobs: purge')).length

describe('a running server', () => {
  it('runs work at once when moving the clock makes it due, frozen or not, also right after a run', async () => {
    const server = await serve()
    const other = await beside(server)
    await other.call('clock.set', { body: { set: '2026-01-01T12:00:00Z', freeze: true } })
    const pauses = () => server.lines.filter(line => line.startsWith('due jobs: pause')).length
    const waited: number[] = []
    for (let tick = 1; tick <= 4; tick++) {
      const user_id = await create(server, `ada ${tick}`)
      const ends = JSON.stringify({ ingestion_end: `2026-0${tick}-15` })
      expect((await server.ask('PATCH', `/v2/user/${user_id}`, { body: ends })).status).toBeLessThan(300)
      await other.call('clock.set', { body: { set: `2026-0${tick}-20T12:00:00Z` } })
      await new Promise(resolve => setTimeout(resolve, 300))
      expect(pauses()).toBe(tick - 1)
      await other.call('clock.set', { body: { advance: '5d' } })
      waited.push(await msUntil(() => pauses() === tick))
    }
    // by itself it checks every 2 s; other tests may keep the machine busy
    expect(Math.min(...waited), waited.join(' ')).toBeLessThan(700)
  })

  it('continues with a store that another process restored, from the next request on', async () => {
    const server = await serve()
    const other = await beside(server)
    const ada = await create(server, 'ada')
    await other.call('snapshot.save', { body: { name: 'base' } })
    for (let tick = 1; tick <= 3; tick++) {
      const bob = await create(server, 'bob')
      expect((await server.ask('GET', `/v2/user/${bob}`)).status).toBe(200)
      await other.call('snapshot.restore', { params: { name: 'base' } })
      expect((await server.ask('GET', `/v2/user/${bob}`)).status).toBe(404)
      expect((await server.ask('GET', `/v2/user/${ada}`)).status).toBe(200)
      expect(await names(server)).toEqual(['ada'])
      expect((await server.ask('GET', '/svc/v1/status')).json).toMatchObject({ users: 1, epoch: tick })
    }
    await other.call('engine.reset', { body: { confirm: 'reset' } })
    expect(await names(server)).toEqual([])
  })

  it('runs a restored store’s due work', async () => {
    const server = await serve()
    const other = await beside(server)
    const ada = await create(server, 'ada')
    await server.ask('DELETE', `/v2/user/${ada}`)
    await other.call('clock.set', { body: { advance: '7d' } })
    await other.call('snapshot.save', { body: { name: 'due' } }).catch(() => {})
    await msUntil(() => purges(server) === 1)
    await other.call('snapshot.restore', { params: { name: 'due' } })
    const { deleted_users } = (await server.ask('GET', '/svc/v1/status')).json as { deleted_users: number }
    // the snapshot may have been taken after the purge
    if (deleted_users === 1) await msUntil(() => purges(server) === 2)
    expect((await server.ask('POST', '/svc/v1/check')).json).toMatchObject({ ok: true })
  })

  it('responds while it restores and saves over HTTP itself, with its original key', async () => {
    const server = await serve()
    await create(server, 'ada')
    const save = await server.ask('POST', '/svc/v1/snapshots', { body: '{"name":"base"}' })
    expect(save.json).toMatchObject({ name: 'base', users: 1 })
    await create(server, 'bob')
    const [restored, ...health] = await Promise.all([
      server.ask('POST', '/svc/v1/snapshots/base/restore'),
      ...Array.from({ length: 20 }, () => server.ask('GET', '/healthz')),
    ])
    expect(restored.json).toMatchObject({ users_before: 2, users_after: 1 })
    expect(health.map(each => each.status)).toEqual(Array(20).fill(200))
    expect(await names(server)).toEqual(['ada'])
    expect((await server.ask('DELETE', '/svc/v1/snapshots/base')).status).toBe(204)
    expect((await server.ask('POST', '/svc/v1/snapshots/base/restore')).status).toBe(404)
    expect((await server.ask('POST', '/svc/v1/snapshots/..%2Fbase/restore')).status).toBe(422)
  })
})
