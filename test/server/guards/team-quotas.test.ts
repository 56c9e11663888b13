/** Request quotas: counted for all keys of a team together on one server; other teams are not affected. */
import { describe, expect, it } from 'vitest'
import type { TeamId } from '../../../src/core/ids.ts'
import { RateLimit } from '../../../src/server/guards/rate-limit.ts'
import { serve, type TestServer } from '../../kit/server.ts'
import { until } from '../../kit/until.ts'

async function createTeam(server: TestServer, name: string, quotas: object) {
  const made = await server.ask('POST', '/svc/v1/teams', { body: JSON.stringify({ name }) })
  const { team_id, api_key } = made.json as { team_id: string; api_key: string }
  const second = await server.ask('POST', `/svc/v1/teams/${team_id}/keys`, { body: '{}' })
  const set = (body: object) => server.ask('PATCH', `/svc/v1/teams/${team_id}`, { body: JSON.stringify(body) })
  expect(await set(quotas)).toMatchObject({ status: 200, json: quotas })
  return { keys: [api_key, (second.json as { api_key: string }).api_key] as const, set }
}

describe('requests per second', () => {
  it('are counted over all keys of the team, without affecting other teams', async () => {
    const server = await serve({ rateLimit: 0 })
    const { keys, set } = await createTeam(server, 'acme', { max_requests_per_second: 2 })
    const other = await createTeam(server, 'other', {})
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => server.ask('GET', '/v2/user', { key: keys[i % 2 === 0 ? 0 : 1] })),
    )
    const refused = responses.filter(each => each.status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(4)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(refused[0]?.headers.get('x-svc-error-code')).toBe('rate_limited')
    expect((await server.ask('GET', '/v2/user', { key: other.keys[0] })).status).toBe(200)
    expect((await set({ max_requests_per_second: null })).status).toBe(200)
    const later = await Promise.all(keys.map(key => server.ask('GET', '/v2/user', { key })))
    expect(later.map(each => each.status)).toEqual([200, 200])
  })
})

describe('concurrent requests', () => {
  const team = { teamId: 'a' as TeamId, maxRequestsPerSecond: null, maxInFlight: 2 }

  it('are counted until each has its response', () => {
    const limit = new RateLimit(0, () => 0)
    const enter = () => limit.enter({ actor: 'key:a', team })
    const [first] = [enter(), enter()]
    expect(enter).toThrow(/at once: at most 2 are allowed/)
    expect(limit.enter({ actor: 'key:b', team: { ...team, teamId: 'b' as TeamId } })).not.toBeNull()
    expect(limit.enter({ actor: 'key:c', team: null })).toBeNull()
    first?.()
    expect(enter()).not.toBeNull()
    expect(enter).toThrow()
  })

  it('beyond the limit are refused, and accepted again when one is finished or abandoned', async () => {
    const server = await serve()
    const { keys } = await createTeam(server, 'acme', { max_in_flight: 1 })
    const made = await server.ask('POST', '/v2/user', { key: keys[0], body: '{"client_user_id":"a"}' })
    const { user_id } = made.json as { user_id: string }
    const list = () => server.ask('GET', '/v2/user', { key: keys[1] })
    expect((await list()).status).toBe(200)
    const listWithStatus = async (status: number) => {
      const response = await list()
      return response.status === status ? response : undefined
    }
    const given = new AbortController()
    // an upload that never ends; it is started again if a running list request had taken the only slot
    const hold = async (): Promise<void> => {
      const body = new ReadableStream({ start: controller => controller.enqueue(Buffer.from('[')) })
      const response = await fetch(`${server.url}/svc/v1/users/${user_id}/samples`, {
        method: 'POST',
        headers: { 'x-service-api-key': keys[0] },
        body,
        duplex: 'half',
        signal: given.signal,
      } as RequestInit).catch(() => null)
      if (response?.status === 429) await hold()
    }
    const upload = hold()
    const refused = await until(() => listWithStatus(429))
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.json).toEqual({ detail: 'Too many requests from this team at once: at most 1 are allowed.' })
    given.abort()
    await upload
    await until(() => listWithStatus(200))
  })
})
