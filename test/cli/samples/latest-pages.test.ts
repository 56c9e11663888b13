/** The newest samples of a range equal the end of all samples, for any pages, without reading all of them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Bounds, latestPages, newestSamples } from '../../../src/cli/samples/latest-pages.ts'
import { countSamples } from '../../../src/cli/samples/sample-pages.ts'
import type { ServiceClient } from '../../../src/client/client.ts'
import { type GroupedPage, inTimeOrder } from '../../../src/engine/readings/sample-order.ts'
import { seed } from '../../kit/seed.ts'

/** A service with samples of two providers at these times, and pages of a fixed size. Counts the samples that it returns. */
class Service {
  returned = 0
  requests = 0
  private readonly times: readonly number[]
  private readonly pageSize: number

  constructor(times: readonly number[], pageSize: number) {
    this.times = times.toSorted((a, b) => a - b)
    this.pageSize = pageSize
  }

  readonly read = async ({ first, last }: Bounds, cursor: string | null): Promise<GroupedPage> => {
    const at = Number(cursor ?? 0)
    const found = this.times.filter(time => time >= first && time <= last)
    const shown = found.slice(at, at + this.pageSize)
    this.requests += 1
    this.returned += shown.length
    const next = at + this.pageSize < found.length ? String(at + this.pageSize) : null
    const group = (slug: string) => ({
      source: { provider: slug, type: 'ring' },
      data: shown
        .filter(time => providerSlug(time) === slug)
        .map(time => ({ timestamp: new Date(time).toISOString(), value: 1 })),
    })
    const groups = Object.fromEntries(['oura', 'whoop'].map(slug => [slug, [group(slug)]]))
    return { groups, next_cursor: next, next } as unknown as GroupedPage // only the parts that pagination reads
  }
}

const providerSlug = (time: number) => (time % 3 === 0 ? 'oura' : 'whoop')

async function newest(service: Service, bounds: Bounds, count: number): Promise<number[]> {
  const times: number[] = []
  for await (const page of latestPages(service.read, bounds, count)) {
    expect(page.next_cursor).toBeNull()
    times.push(...inTimeOrder(page).map(({ sample }) => Date.parse(String(sample['timestamp']))))
    expect(countSamples(page)).toBeLessThanOrEqual(count)
  }
  return times
}

test('are taken from the end of the range, oldest first', async () => {
  const HOUR = 3_600_000
  const times = fc.uniqueArray(fc.oneof(fc.nat(1000), fc.nat(10 * HOUR), fc.nat(5000 * HOUR)), { maxLength: 60 })
  const property = fc.asyncProperty(
    times,
    fc.integer({ min: 1, max: 70 }),
    fc.integer({ min: 1, max: 9 }),
    async (all, count, size) => {
      const bounds = { first: Math.min(...all, 0), last: Math.max(...all, 1) }
      expect(await newest(new Service(all, size), bounds, count)).toEqual(all.toSorted((a, b) => a - b).slice(-count))
    },
  )
  await fc.assert(property, { seed, numRuns: 200 })
})

test('are found without reading the rest', async () => {
  const MINUTE = 60_000
  const year = Array.from({ length: 525_600 }, (_, i) => i * MINUTE)
  const service = new Service(year, 10_000)
  const bounds = { first: 0, last: year.at(-1) ?? 0 }
  expect(await newest(service, bounds, 100)).toEqual(year.slice(-100))
  expect(service.returned).toBeLessThan(400)
  expect(service.requests).toBeLessThanOrEqual(3)
})

test.each(['body_weight', 'heartrate'])(
  'are read from the end of the data, whatever the service calls the resource: %s',
  async resource => {
    const HOUR = 3_600_000
    const start = Date.UTC(2020, 0)
    const times = Array.from({ length: 9_000 }, (_, i) => start + i * HOUR)
    const service = new Service(times, 1_000)
    const dataRange = {
      oldest_data: '2020-01-01T00:00:00+00:00',
      newest_data: new Date(times.at(-1) ?? 0).toISOString(),
    }
    const held = [{ user_id: 'id', provider: { oura: { weight: dataRange, heartrate: dataRange } } }]
    const client = {
      call: async (id: string) => ({
        kind: 'json',
        body: id === 'clock.get' ? { now: '2026-11-22T00:00:00Z' } : { data: held },
      }),
    } as unknown as ServiceClient // only these two calls are made
    const wanted = {
      userId: 'id',
      resource,
      provider: undefined,
      start: undefined,
      end: undefined,
      count: 10,
    }
    let count = 0
    for await (const page of newestSamples(client, service.read, wanted)) count += countSamples(page)
    expect(count).toBe(10)
    expect(service.returned).toBeLessThan(30)
  },
)
