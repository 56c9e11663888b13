/** Pagination returns every sample that existed at the start, once and in order, while others write. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import type { SeriesKey } from '../../../src/core/sample.ts'
import { openCursor, type SampleTraversal, sealCursor } from '../../../src/engine/readings/cursor.ts'
import { times } from '../../kit/effort.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { buildBatch, writing } from '../../store/user-store.ts'

const AT = Date.UTC(2026, 10, 1)
const PAGE_SIZES = [1, 2, 3, 7, 50] as const
const SERIES: readonly SeriesKey[] = [
  { resource: 'cholesterol', type: 'ldl', provider: 'oura', sourceType: 'ring' },
  { resource: 'cholesterol', type: 'hdl', provider: 'oura', sourceType: 'ring' },
  { resource: 'cholesterol', type: 'ldl', provider: 'oura', sourceType: 'app' },
  { resource: 'cholesterol', type: 'ldl', provider: 'whoop', sourceType: 'watch' },
]

interface Put {
  readonly series: number
  /** On a grid so coarse that several series have samples at the same time. */
  readonly slot: number
  readonly value: number
  readonly app: string | null
}
const put = fc.record({
  series: fc.nat(SERIES.length - 1),
  slot: fc.nat(60),
  value: fc.integer({ min: 0, max: 9 }),
  app: fc.constantFrom(null, 'one'),
})
const puts = (maxLength: number) => fc.array(put, { maxLength })

async function write(h: Harness, userId: UserId, samples: readonly Put[]): Promise<void> {
  const batches = SERIES.map((series, i) => {
    const own = samples.filter(sample => sample.series === i)
    // some of them 40 days later, so that they are in other chunks
    return buildBatch(
      series,
      own.map(({ slot, value, app }) => ({
        start: AT + (slot % 10) * 4 * 86_400_000 + slot * 1500,
        value,
        text: { app_id: app },
      })),
    )
  })
  await h.engine.context.store.data.write(
    userId,
    writing(
      batches.filter(batch => batch.n > 0),
      { teamId: h.team.teamId },
    ),
  )
}

/** The key of a sample, with its content. */
interface Seen {
  readonly key: string
  readonly start: number
  readonly whole: string
}

function seenOn(page: Awaited<ReturnType<typeof readPage>>): Seen[] {
  const seen = Object.values(page.groups)
    .flat()
    .flatMap(({ source, data }) =>
      data.map(sample => ({
        key: `${sample.start} ${source.provider} ${source.type} ${source.app_id} ${sample['type']}`,
        start: Date.parse(sample.start),
        whole: JSON.stringify([source, sample]),
      })),
    )
  return seen.sort((a, b) => a.start - b.start || (a.key < b.key ? -1 : 1))
}

const readPage = (h: Harness, user_id: UserId, cursor: string | null) =>
  h.call('timeseries.grouped', {
    params: { user_id, resource: 'cholesterol' },
    query: { start_date: '2026-11-01', end_date: '2027-01-31', next_cursor: cursor },
  })

/** Reads all pages; `between` runs after each one. */
async function readPages(h: Harness, userId: UserId, pageSize: number, between = async () => {}): Promise<Seen[]> {
  const seen: Seen[] = []
  let cursor: string | null = null
  do {
    const page = await readPage(h, userId, cursor)
    const here = seenOn(page)
    expect(here.length).toBeLessThanOrEqual(pageSize)
    // a page is a contiguous range of time
    const before = seen.at(-1)?.start ?? Number.NEGATIVE_INFINITY
    for (const each of here) expect(each.start).toBeGreaterThanOrEqual(before)
    seen.push(...here)
    cursor = page.next_cursor
    if (cursor) await between()
  } while (cursor)
  return seen
}

const byTime = (seen: readonly Seen[]) => [...seen].sort((a, b) => a.start - b.start || (a.key < b.key ? -1 : 1))

describe('pagination through all pages', () => {
  it('equals one read of everything, for any series, ties and page sizes', async () => {
    const dataDir = temporaryFolder()
    const whole = await openHarness({ dataDir, pageSize: 1_000_000 })
    const paged = new Map<number, Harness>()
    for (const pageSize of PAGE_SIZES) paged.set(pageSize, await openHarness({ dataDir, pageSize }))
    let users = 0
    await fc.assert(
      fc.asyncProperty(puts(120), fc.constantFrom(...PAGE_SIZES), async (samples, pageSize) => {
        const { user_id } = await whole.call('user.create', { body: { client_user_id: `u${users++}` } })
        await write(whole, user_id, samples)
        const all = await readPage(whole, user_id, null)
        expect(all.next_cursor).toBeNull()
        const seen = await readPages(paged.get(pageSize) as Harness, user_id, pageSize)
        expect(byTime(seen)).toEqual(byTime(seenOn(all)))
        expect(new Set(seen.map(({ key }) => key)).size).toBe(seen.length)
      }),
      { seed, numRuns: times(10) },
    )
  })

  it('repeats and skips no sample that existed before, while another process writes between the pages', async () => {
    const dataDir = temporaryFolder()
    const writer = await openHarness({ dataDir })
    const paged = new Map<number, Harness>()
    for (const pageSize of PAGE_SIZES) paged.set(pageSize, await openHarness({ dataDir, pageSize }))
    let users = 0
    await fc.assert(
      fc.asyncProperty(
        puts(100),
        fc.array(puts(12), { maxLength: 20 }),
        fc.constantFrom(...PAGE_SIZES),
        async (samples, writes, pageSize) => {
          const { user_id } = await writer.call('user.create', { body: { client_user_id: `u${users++}` } })
          await write(writer, user_id, samples)
          const before = new Set(seenOn(await readPage(writer, user_id, null)).map(({ key }) => key))
          const left = [...writes]
          const seen = await readPages(paged.get(pageSize) as Harness, user_id, pageSize, async () => {
            const next = left.shift()
            if (next) await write(writer, user_id, next)
          })
          const keys = seen.map(({ key }) => key)
          expect(new Set(keys).size).toBe(keys.length)
          for (const key of before) expect(keys).toContain(key)
        },
      ),
      { seed, numRuns: times(10) },
    )
  })
})

describe('a cursor', () => {
  const PAGINATION: SampleTraversal = { teamId: 't', userId: 'u', resource: 'steps', provider: '', from: 1, to: 2 }
  const KEY = new Uint8Array(32).fill(7)
  const STATE = { after: { start: 1.5, seriesId: 42 }, to: 2 }
  const refusal = (key: Uint8Array, pages: SampleTraversal, cursor: string): unknown => {
    try {
      return openCursor(key, pages, cursor)
    } catch (error) {
      return error
    }
  }

  it.each<[string, Partial<SampleTraversal>]>([
    ['team', { teamId: 'x' }],
    ['user', { userId: 'x' }],
    ['resource', { resource: 'heartrate' }],
    ['provider filter', { provider: 'oura' }],
    ['start', { from: 0 }],
    ['end', { to: 3 }],
    ['range without an end', { to: 'open' }],
  ])('of another %s is refused', (_what, other) => {
    const cursor = sealCursor(KEY, PAGINATION, STATE)
    expect(openCursor(KEY, PAGINATION, cursor)).toEqual(STATE)
    expect(refusal(KEY, { ...PAGINATION, ...other }, cursor)).toMatchObject({ code: 'invalid_cursor', status: 422 })
    expect(refusal(new Uint8Array(32), PAGINATION, cursor)).toMatchObject({ code: 'invalid_cursor' })
  })

  it('that was modified, shortened or extended is refused', () => {
    const bytes = Buffer.from(sealCursor(KEY, PAGINATION, STATE), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const bent = Buffer.from(bytes)
      bent[bit >> 3] = (bent[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(refusal(KEY, PAGINATION, bent.toString('base64url'))).toMatchObject({ code: 'invalid_cursor' })
    }
    for (const bent of [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(0)]) {
      expect(refusal(KEY, PAGINATION, bent.toString('base64url'))).toMatchObject({ code: 'invalid_cursor' })
    }
  })

  it('works after a restart, with the key of the data folder, but not in another folder', async () => {
    const first = await openHarness({ pageSize: 2 })
    const { user_id } = await first.call('user.create', { body: { client_user_id: 'a' } })
    await write(
      first,
      user_id,
      Array.from({ length: 5 }, (_, slot) => ({ series: 0, slot, value: slot, app: null })),
    )
    const page = await readPage(first, user_id, null)
    await first.engine.close()
    const again = await openHarness({ dataDir: first.dataDir, pageSize: 2 })
    const next = await readPage(again, user_id, page.next_cursor)
    expect(seenOn(next).map(({ whole }) => JSON.parse(whole)[1].value)).toEqual([2, 3])

    const other = await openHarness({ pageSize: 2 })
    const stranger = await other.call('user.create', { body: { client_user_id: 'a' } })
    const error = await other.refusal('timeseries.grouped', {
      params: { user_id: stranger.user_id, resource: 'cholesterol' },
      query: { start_date: '2026-11-01', end_date: '2027-01-31', next_cursor: page.next_cursor },
    })
    expect([error.status, error.code]).toEqual([422, 'invalid_cursor'])
  })
})
