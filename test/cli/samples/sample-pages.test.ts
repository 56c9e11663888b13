/** Pagination over a service: limits, cursors that continue, and merged pages, for any pages of the service. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TraversalIdentity } from '../../../src/cli/samples/cut-cursor.ts'
import { MergedResponse } from '../../../src/cli/samples/merged-response.ts'
import { samplePages } from '../../../src/cli/samples/sample-pages.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { type GroupedPage, inTimeOrder, type SampleRow } from '../../../src/engine/readings/sample-order.ts'
import { seed } from '../../kit/seed.ts'

const TRAVERSAL: TraversalIdentity = {
  userId: 'u',
  resource: 'cholesterol',
  start: '2026-11-01',
  end: undefined,
  provider: undefined,
}

interface Stored {
  readonly second: number
  readonly provider: string
  readonly sourceType: string
  readonly type: string
  readonly app: string | null
}
const stored: fc.Arbitrary<Stored> = fc.record({
  second: fc.nat(12),
  provider: fc.constantFrom('oura', 'whoop'),
  sourceType: fc.constantFrom('ring', 'app'),
  type: fc.constantFrom('ldl', 'hdl'),
  app: fc.constantFrom(null, 'one'),
})
const sampleKey = (each: Stored) => `${each.second} ${each.provider} ${each.sourceType} ${each.app} ${each.type}`

/** A service with pages of a fixed size and its own cursors, over samples that may grow. */
class Service {
  readonly samples: Stored[] = []
  requests = 0
  private readonly pageSize: number

  constructor(pageSize: number, samples: readonly Stored[]) {
    this.pageSize = pageSize
    this.put(samples)
  }

  put(samples: readonly Stored[]): void {
    const known = new Map([...this.samples, ...samples].map(each => [sampleKey(each), each]))
    this.samples.splice(0, this.samples.length, ...known.values())
    this.samples.sort((a, b) => a.second - b.second || compare(this.seriesName(a), this.seriesName(b)))
  }

  /** The service orders series differently from us. */
  private seriesName({ provider, sourceType, app, type }: Stored): string {
    return [...`${provider} ${sourceType} ${app} ${type}`].reverse().join('')
  }

  readonly read = async (cursor: string | null): Promise<GroupedPage> => {
    this.requests += 1
    const after = cursor === null ? -1 : this.samples.findIndex(each => sampleKey(each) === atob(cursor))
    const here = this.samples.slice(after + 1, after + 1 + this.pageSize)
    const groups: Record<string, GroupedPage['groups'][string]> = {}
    for (const { second, provider, sourceType: type, app: app_id, ...each } of here) {
      groups[provider] ??= []
      let group = groups[provider].find(({ source }) => source.type === type && source.app_id === app_id)
      if (!group) {
        group = { source: { provider, type, app_id, device_id: null, sport: null, workout_id: null }, data: [] }
        groups[provider].push(group)
      }
      const start = `2026-11-01T00:00:${String(second).padStart(2, '0')}+00:00`
      group.data.push({ timestamp: start, start, end: start, unit: 'mmol/L', type: each.type, value: second })
    }
    const last = here.at(-1)
    const next = last && after + 1 + here.length < this.samples.length ? btoa(sampleKey(last)) : null
    return { groups, next_cursor: next, next }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

interface How {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
  readonly isOnePage?: boolean
  readonly traversal?: TraversalIdentity
}

async function traverse(service: Service, { cursor, limit, isOnePage = false, traversal = TRAVERSAL }: How = {}) {
  const rows: SampleRow[] = []
  let next: string | null = null
  for await (const page of samplePages(service.read, { traversal, cursor, limit, isOnePage })) {
    expect(page.next).toBe(page.next_cursor)
    rows.push(...inTimeOrder(page))
    next = page.next_cursor
  }
  return { rows, next }
}

const rowKey = ({ source, sample }: SampleRow) =>
  `${sample['value']} ${source.provider} ${source.type} ${source.app_id} ${sample['type']}`

const samples = fc.uniqueArray(stored, { selector: sampleKey, maxLength: 60 })
const size = fc.integer({ min: 1, max: 9 })

describe('pagination', () => {
  it('reads all pages, and returns each sample once', () =>
    fc.assert(
      fc.asyncProperty(samples, size, async (list, pageSize) => {
        const { rows, next } = await traverse(new Service(pageSize, list))
        expect(rows.map(rowKey).sort()).toEqual(list.map(sampleKey).sort())
        expect(next).toBeNull()
      }),
      { seed },
    ))

  it('stopped by a limit continues at its cursor, even while others write', () =>
    fc.assert(
      fc.asyncProperty(
        samples,
        size,
        fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 80 }),
        fc.array(samples, { maxLength: 5 }),
        fc.boolean(),
        async (list, pageSize, limits, writes, isOnePage) => {
          const service = new Service(pageSize, list)
          const seen: string[] = []
          let cursor: string | undefined
          for (let i = 0; ; i++) {
            const limit = limits[i % limits.length] as number
            const { rows, next } = await traverse(service, { cursor, limit, isOnePage })
            expect(rows.length).toBeLessThanOrEqual(limit)
            seen.push(...rows.map(rowKey))
            if (next === null) break
            cursor = next
            service.put(writes[i] ?? [])
          }
          expect(new Set(seen).size).toBe(seen.length)
          for (const each of list) expect(seen).toContain(sampleKey(each))
        },
      ),
      { seed },
    ))

  it('of a single page returns the page as sent, with the service’s own cursor', async () => {
    const list = Array.from({ length: 7 }, (_, second) => ({
      second,
      provider: 'oura',
      sourceType: 'ring',
      type: 'ldl',
      app: null,
    }))
    const service = new Service(3, list)
    const first = await traverse(service, { isOnePage: true })
    expect(first.next).toBe((await service.read(null)).next_cursor)
    const second = await traverse(service, { isOnePage: true, cursor: first.next ?? undefined })
    expect(second.rows.map(({ sample }) => sample['value'])).toEqual([3, 4, 5])
    // a limit at the end of a page needs no cursor of our own
    expect((await traverse(service, { limit: 6 })).next).toBe(second.next)
  })

  it('requests no more pages than the limit needs', async () => {
    const list = Array.from({ length: 50 }, (_, second) => ({
      second,
      provider: 'oura',
      sourceType: 'ring',
      type: 'ldl',
      app: null,
    }))
    const service = new Service(10, list)
    await traverse(service, { limit: 11 })
    expect(service.requests).toBe(2)
  })

  it('refuses a cursor of another list and a modified cursor', async () => {
    const list = Array.from({ length: 5 }, (_, second) => ({
      second,
      provider: 'oura',
      sourceType: 'ring',
      type: 'ldl',
      app: null,
    }))
    const service = new Service(10, list)
    const { next } = await traverse(service, { limit: 2 })
    const cursor = next as string
    const others: Partial<TraversalIdentity>[] = [
      { userId: 'x' },
      { resource: 'steps' },
      { start: '2026-11-02' },
      { end: '2026-11-03' },
      { provider: 'oura' },
    ]
    const attempts: How[] = [
      ...others.map(other => ({ cursor, traversal: { ...TRAVERSAL, ...other } })),
      ...['cut.', 'cut.!!', `cut.${btoa('[]')}`, `cut.${btoa('{}')}`, `${cursor.slice(0, 20)}${cursor.slice(25)}`].map(
        bent => ({ cursor: bent }),
      ),
    ]
    for (const attempt of attempts) {
      await expect(traverse(service, attempt), JSON.stringify(attempt)).rejects.toMatchObject({
        code: 'invalid_cursor',
        status: 422,
      })
    }
  })

  it('fails if a service keeps sending the same cursor', async () => {
    const page: GroupedPage = { groups: {}, next_cursor: 'again', next: 'again' }
    const pages = samplePages(async () => page, {
      traversal: TRAVERSAL,
      cursor: undefined,
      limit: undefined,
      isOnePage: false,
    })
    const all = async () => {
      for await (const _ of pages);
    }
    await expect(all()).rejects.toBeInstanceOf(ServiceError)
  })
})

describe('a merged response', () => {
  const textOf = async (pages: readonly GroupedPage[]) => {
    const response = new MergedResponse()
    for (const page of pages) response.add(page)
    const pieces: Buffer[] = []
    for await (const piece of response.text()) pieces.push(Buffer.from(piece))
    return Buffer.concat(pieces).toString()
  }

  it('of one page is that page’s body, unchanged', () =>
    fc.assert(
      fc.asyncProperty(samples, async list => {
        const page = await new Service(1000, list).read(null)
        expect(await textOf([page])).toBe(`${JSON.stringify(page)}\n`)
      }),
      { seed },
    ))

  it('of many pages contains each source once, and the same data as a single page', () =>
    fc.assert(
      fc.asyncProperty(samples, size, async (list, pageSize) => {
        const service = new Service(pageSize, list)
        const pages: GroupedPage[] = []
        for await (const page of samplePages(service.read, {
          traversal: TRAVERSAL,
          cursor: undefined,
          limit: undefined,
          isOnePage: false,
        })) {
          pages.push(page)
        }
        const merged = JSON.parse(await textOf(pages)) as GroupedPage
        const whole = await new Service(1000, list).read(null)
        const groupsOf = ({ groups }: GroupedPage) =>
          Object.values(groups)
            .flat()
            .map(group => JSON.stringify(group))
            .sort()
        expect(merged.next_cursor).toBeNull()
        expect(groupsOf(merged)).toEqual(groupsOf(whole))
      }),
      { seed },
    ))
})
