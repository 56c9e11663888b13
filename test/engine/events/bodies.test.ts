/**
 * The content of webhook bodies: one source per batch, bounded sizes, summaries as they are read, and effects of the compatibility date.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import type { ReplyBody } from '../../../src/contract/kernel/operation.ts'
import type { Operations } from '../../../src/contract/operations.ts'
import { SampleBatchBuilder } from '../../../src/core/sample.ts'
import { MOST_BODY_BYTES, renderEvent } from '../../../src/engine/events/render.ts'
import { shrinkPayload } from '../../../src/engine/events/shrink-payload.ts'
import type { OutboxEvent } from '../../../src/store/event.ts'
import { eventParts } from '../../../src/store/logic/events/parts.ts'
import { times } from '../../kit/effort.ts'
import { NOON } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { heart, openTeam, type Team } from './team.ts'

type Page = ReplyBody<Operations['event.list']>

const OLD = '2024-05-01'
const setDate = (team: Team, compatibility_date: string) =>
  team.h.call('team.update', { params: { team_id: team.h.team.teamId }, body: { compatibility_date } })
/** Returns the team as a call after the change sees it. */
const afresh = async (team: Team) => Object.assign(team.h.team, await team.h.engine.localTeam())

describe('a batch', () => {
  it('of several sources becomes one event for each source, in time order', async () => {
    const team = await openTeam()
    const apps = ['a.app', 'b.app', 'a.app', 'b.app']
    await team.push(apps.map((app_id, i) => heart(i, 60 + i, { app_id })))
    const bodies = await team.bodies('daily.data.heartrate.created')
    expect(bodies.map(each => each.data.source.app_id)).toEqual(['a.app', 'b.app'])
    expect(bodies.map(each => each.data.data.map((sample: { value: number }) => sample.value))).toEqual([
      [60, 62],
      [61, 63],
    ])
    expect(bodies[0]?.data.data[0]).toMatchObject({ unit: 'bpm', type: null, timestamp: '2026-11-20T11:00:00+00:00' })
  })

  it('that is partly new becomes one event for new data and one for replaced data', async () => {
    const team = await openTeam()
    await team.push([heart(0, 60), heart(1, 61)])
    await team.push([heart(0, 60), heart(1, 62), heart(2, 63)])
    const bodies = await team.bodies('daily.data.heartrate.*')
    expect(bodies.map(each => [each.event_type, each.data.data.length])).toEqual([
      ['daily.data.heartrate.created', 2],
      ['daily.data.heartrate.created', 1],
      ['daily.data.heartrate.updated', 1],
    ])
  })

  it('with long texts becomes several events of at most 1 MiB, with nothing lost', async () => {
    const team = await openTeam()
    const long = 'é"\n'.repeat(1_000)
    const notes = Array.from({ length: 700 }, (_, i) => ({
      resource: 'note',
      start: new Date(NOON - 7_200_000 + i * 1000).toISOString(),
      end: new Date(NOON - 7_200_000 + i * 1000).toISOString(),
      value: `${i} ${long}`,
      type: 'diary',
    }))
    await team.push(notes)
    const { data } = await team.h.call('event.list', { query: { type: 'daily.data.note.created', order: 'asc' } })
    expect(data.length).toBeGreaterThan(2)
    const values: string[] = []
    for (const { event_id } of data) {
      const { payload } = await team.h.call('event.get', { params: { event_id } })
      expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(MOST_BODY_BYTES)
      values.push(...(payload as never as { data: { data: { value: string }[] } }).data.data.map(each => each.value))
    }
    expect(values).toEqual(notes.map(each => each.value))
  })

  it('of any kind is split into bodies of one source that fit', () => {
    const sample = fc.record({
      app: fc.constantFrom(null, 'a', 'b'),
      workout: fc.constantFrom(null, 'c0ffee00-0000-4000-8000-000000000001'),
      content: fc.oneof(fc.string({ maxLength: 20 }), fc.constant('€'.repeat(250_000))),
    })
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 12 }), samples => {
        const builder = new SampleBatchBuilder({ resource: 'note', type: 'x', provider: 'manual', sourceType: 'app' })
        samples.forEach((each, i) => {
          builder.push({
            start: NOON + i,
            value: 0,
            text: { app_id: each.app, workout_id: each.workout, content: each.content },
          })
        })
        const batch = builder.take()
        const starts = eventParts('note', batch).flatMap((part, i, parts) => {
          const event: OutboxEvent = {
            eventId: 'e',
            userId: 'u' as never,
            teamId: 't' as never,
            sequence: i + 1,
            arrival: parts.length,
            type: 'daily.data.note.created',
            at: NOON,
            clientUserId: 'ada',
            compatibilityDate: '2026-11-20',
            data: { kind: 'samples', seriesId: 1, batch: { series: batch.series, ...part } },
          }
          const text = renderEvent(event, SHIPPED_REGISTRY)
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_BODY_BYTES)
          expect(JSON.parse(text).data.data).toHaveLength(part.n)
          return [...part.start]
        })
        expect(starts.sort((a, b) => a - b)).toEqual(samples.map((_, i) => NOON + i))
      }),
      { seed, numRuns: times(10) },
    )
  })
})

describe('a page of bodies', () => {
  it('ends before it exceeds 16 MiB, and the next one continues', async () => {
    const team = await openTeam()
    const builder = new SampleBatchBuilder({ resource: 'steps', type: null, provider: 'manual', sourceType: 'watch' })
    for (let i = 0; i < 110_000; i++) {
      builder.push({
        start: NOON - (120_000 - i) * 60_000 + 1,
        end: NOON - (119_999 - i) * 60_000,
        value: i,
        offset: 0,
      })
    }
    await team.h.engine.context.store.data.write(team.userId, {
      at: NOON,
      teamId: team.h.team.teamId,
      batches: [builder.take()],
      summaries: [],
      streams: [],
      events: { kind: 'daily' },
      importing: null,
      connections: [],
      consumeToken: null,
    })
    const sizes: number[] = []
    let samples = 0
    for (let next_cursor: string | null = null; ; ) {
      const query: { payload: boolean; limit: number; next_cursor: string | null } = {
        payload: true,
        limit: 500,
        next_cursor,
      }
      const page: Page = await team.h.call('event.list', { query })
      sizes.push(JSON.stringify(page).length)
      samples += page.data.reduce((sum, each) => sum + (each.samples ?? 0), 0)
      next_cursor = page.next_cursor
      if (next_cursor === null) break
    }
    expect(samples).toBe(110_000)
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(17 << 20)
  })
})

describe('a payload that is too large', () => {
  it('keeps its keys: texts are truncated, lists are emptied', () => {
    const text = '€'.repeat(1000)
    const cut = shrinkPayload({ id: 'x', data: [{ value: text }] }, 500) as { data: { value: string }[] }
    expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(500)
    expect(cut.data[0]?.value).toMatch(/^€{100,}…$/)
    const many = Array.from({ length: 1000 }, (_, i) => i)
    expect(shrinkPayload({ id: 'x', starts: many, ends: many, map: { polyline: text } }, 100)).toEqual({
      id: 'x',
      starts: [],
      ends: [],
      map: { polyline: expect.stringMatching(/…$/) },
    })
    expect(shrinkPayload({ a: 1 }, 100)).toEqual({ a: 1 })
  })
})

describe('a summary', () => {
  it('is sent as it is read, created once and then updated, with its times', async () => {
    const team = await openTeam()
    const item = (weight: number) => ({ summary: 'body', date: '2026-11-19', document: { weight } })
    const read = async () => {
      const params = { resource: 'body' as const, user_id: team.userId }
      const { body } = (await team.h.call('summary.get', { params, query: { start_date: '2026-11-01' } })) as never
      return (body as unknown[])[0]
    }
    await team.push([item(71.4)])
    const [created] = await team.bodies('daily.data.body.created')
    expect(created?.data).toEqual(await read())
    team.h.time.ms += 60_000
    await team.push([item(71.2)])
    const [updated] = await team.bodies('daily.data.body.updated')
    expect(updated?.data).toEqual(await read())
    expect(updated?.data.updated_at).not.toBe(updated?.data.created_at)
    // the first event stays unchanged
    expect((await team.bodies('daily.data.body.created'))[0]).toEqual(created)
  })
})

describe('the compatibility date', () => {
  it('permanently determines the details of sources, is_final, and the source of a new connection', async () => {
    const team = await openTeam()
    await setDate(team, OLD)
    await afresh(team)
    const demo = { user_id: team.userId, provider: 'oura' as const }
    await team.h.call('link.demo', { body: demo })
    await team.push([heart(0, 60)])
    const check = async () => {
      const [connected] = await team.bodies('provider.connection.created')
      expect(connected?.data.source).toEqual(connected?.data.provider)
      const [pulled] = await team.bodies('historical.data.*.created')
      expect(pulled?.data).toMatchObject({ provider: 'oura', is_final: true, source: { slug: 'oura' } })
      const [batch] = await team.bodies('daily.data.heartrate.created')
      expect(batch?.data.source).toMatchObject({ provider: 'manual', slug: 'manual', name: expect.any(String) })
    }
    await check()
    await setDate(team, '2026-11-20')
    await check()
    await afresh(team)
    await team.push([heart(1, 61)])
    const batches = await team.bodies('daily.data.heartrate.created')
    expect(batches.map(each => 'slug' in each.data.source)).toEqual([true, false])
  })

  it('determines the hypnogram events', async () => {
    const stage = (minute: number) => ({
      resource: 'hypnogram',
      start: new Date(NOON - 3_600_000 + minute * 60_000).toISOString(),
      end: new Date(NOON - 3_540_000 + minute * 60_000).toISOString(),
      value: 2,
    })
    const team = await openTeam()
    await team.push([stage(0)])
    expect((await team.bodies()).map(each => each.event_type)).not.toContain('daily.timeseries.hypnogram.created')
    await setDate(team, OLD)
    await afresh(team)
    await team.push([stage(1)])
    const [sent] = await team.bodies('daily.timeseries.hypnogram.created')
    expect(sent?.data.data).toHaveLength(1)
    const { data } = await team.h.call('event.types', { query: { type: '*hypnogram*' } })
    expect(data).toHaveLength(3)
  })
})
