/** Queries over the results of other queries: the embedded service and a server give the same result as the plain evaluator. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ServiceClient } from '../../../src/client/client.ts'
import { openEmbedded } from '../../../src/client/embedded.ts'
import { openHttp } from '../../../src/client/http.ts'
import type { QueryBatchInput } from '../../../src/contract/aggregates/aggregate.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'
import { serve } from '../../kit/server.ts'
import { newStore } from '../../kit/store/new-store.ts'
import { inBytes } from '../links/linked-user.ts'
import { difference } from './agreement.ts'
import { sampleCase } from './arbitraries/data-arbitrary.ts'
import { asked, nestedQuery, timeseries } from './arbitraries/query-arbitrary.ts'
import type { PlainData } from './data.ts'

/** Later than the data: a push refuses the future. */
const NOW = Date.UTC(2040, 0, 1)
const engine = { time: { now: () => NOW } }
const RESOURCES = ['heartrate', 'steps', 'glucose', 'body_weight']

const asks = sampleCase
  .map(({ base, data }) => {
    const own = data.samples.filter(each => RESOURCES.includes(each.resource) && each.startMs >= 0)
    return { base, data: { ...data, samples: own.map(each => ({ ...each, text: {} })) } }
  })
  .filter(({ base, data }) => data.samples.length > 0 && base < Date.UTC(2030, 0, 1))
  .chain(({ base, data }) => {
    const words = timeseries([...new Set(data.samples.map(each => each.resource))], base)
    const queries = fc.array(nestedQuery(words, base), { minLength: 4, maxLength: 4 })
    return fc.record({ data: fc.constant(data), asked: asked(base), queries })
  })

/** Returns the body of a JSON reply. */
function readJson(reply: { readonly kind: string }): unknown {
  expect(reply.kind).toBe('json')
  return (reply as unknown as { readonly body: unknown }).body
}

async function userWith(client: ServiceClient, name: string, { zone, samples }: PlainData): Promise<string> {
  const created = await client.call('user.create', {
    body: { client_user_id: name, ...(zone === null ? {} : { fallback_time_zone: zone }) },
  })
  const { user_id } = readJson(created) as { user_id: string }
  const pushed = samples.map(({ resource, provider, sourceType, startMs, endMs, value, offsetSec }) => ({
    ...{ resource, provider, source_type: sourceType, value, timezone_offset: offsetSec },
    ...{ start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() },
  }))
  await client.call('samples.push', { params: { user_id }, body: inBytes({ samples: pushed }) })
  return user_id
}

test('agree embedded and over HTTP', { timeout: 600_000 }, async () => {
  const server = await serve({ engine, rateLimit: 0 })
  const clients = {
    embedded: await openEmbedded({ dataDir: await newStore(), publicUrl: null, engine }),
    http: openHttp({ baseUrl: server.url, apiKey: server.apiKey, timeoutMs: 60_000 }),
  }
  let users = 0
  const property = fc.asyncProperty(asks, async ({ data, asked, queries }) => {
    const name = `user-${users++}`
    const call = { ...asked, now: NOW, team: [] }
    const { anchor, past, overrides } = call
    const body = {
      timeframe: { type: 'relative', anchor, past },
      queries,
      config: { provider_priority_overrides: overrides },
    } as unknown as QueryBatchInput
    for (const [way, client] of Object.entries(clients)) {
      const user_id = await userWith(client, name, data)
      const reply = await client.call('aggregate.query', { params: { user_id }, body })
      const { results } = readJson(reply) as { results: { table: Record<string, unknown[]> }[] }
      const problems = queries.map((query, i) => difference(data, query, call, results[i]?.table ?? {}))
      expect({ way, problems }).toEqual({ way, problems: queries.map(() => undefined) })
    }
  })
  const numRuns = times(12)
  const { failed, errorInstance, counterexamplePath } = await fc.check(property, { seed, numRuns, endOnFailure: true })
  await clients.embedded.close()
  if (failed) throw new Error(`seed ${seed}, path ${counterexamplePath}: ${(errorInstance as Error).message}`)
  expect(users).toBeGreaterThanOrEqual(numRuns)
})
