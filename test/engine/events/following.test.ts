/**
 * Readers that follow a team's events miss none, although lists show an event some time after its write is acknowledged. `SVC_TEST_SEED=…`
 * repeats a run.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Stream } from '../../../src/core/random.ts'
import { times } from '../../kit/effort.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { until } from '../../kit/until.ts'

const USERS = 4
const WRITES_OF_USER = times(25)
const TYPES = ['daily.data.steps.created', 'daily.data.weight.created', 'provider.connection.created']

interface Written {
  readonly eventId: string
  readonly userId: string
  readonly type: string
  readonly sequence: number
}

/** Follows matching events with the cursors of `event.list`. */
class Tail {
  readonly seen: Written[] = []
  private cursor: string | null = null
  private readonly h: Harness
  private readonly only: object

  constructor(h: Harness, only: object) {
    this.h = h
    this.only = only
  }

  /** Reads a page, or begins at the current end. */
  async read(limit: number): Promise<void> {
    const where = this.cursor === null ? { from: 'now' as const } : { next_cursor: this.cursor, limit }
    const page = await this.h.call('event.list', { query: { order: 'asc', ...this.only, ...where } })
    this.cursor = page.next_cursor
    this.seen.push(...page.data.map(toWritten))
  }
}

describe(`followed events (SVC_TEST_SEED=${seed})`, () => {
  it('are each seen exactly once, in the order of each user', async () => {
    const h = await openHarness({ isLagShown: true })
    const random = new Stream('following', seed)
    const pick = (most: number): number => Math.floor(random.next() * most)
    const users: string[] = []
    for (let i = 0; i < USERS; i++) {
      users.push((await h.call('user.create', { body: { client_user_id: `user-${i}` } })).user_id)
    }
    const [first = ''] = users
    const written: Written[] = []
    /** Events whose write began after the late reader had its cursor. */
    const afterCursor: Written[] = []
    let isLateReady = false
    let isOver = false

    const write = async (userId: string): Promise<void> => {
      for (let i = 0; i < WRITES_OF_USER; i++) {
        const type = TYPES[pick(TYPES.length)] ?? ''
        // half of the others are caused by data
        const only_event = type === 'provider.connection.created' || pick(2) === 0
        const body = { type, user_id: userId, only_event, count: 1 + pick(3) }
        const isAfter = isLateReady
        const { events } = await h.call('event.trigger', { body })
        const made = events.map(toWritten)
        written.push(...made)
        if (isAfter) afterCursor.push(...made)
        if (pick(3) === 0) await wait(pick(8))
      }
    }
    const follow = async (tail: Tail): Promise<void> => {
      while (!isOver) await tail.read(1 + pick(5))
    }

    const tails = [{}, { user_id: first }, { type: 'daily.data.*' }].map(only => new Tail(h, only))
    for (const tail of tails) await tail.read(1)
    const following = tails.map(follow)
    const writing = Promise.all(users.map(write))

    await until(() => written.length > USERS * 5)
    const late = new Tail(h, {})
    await late.read(1)
    isLateReady = true
    following.push(follow(late))

    await writing
    const expected = [
      written,
      written.filter(each => each.userId === first),
      written.filter(each => each.type.startsWith('daily.')),
    ]
    const isSeen = (): boolean => {
      const ids = new Set(late.seen.map(each => each.eventId))
      const isComplete = tails.every((tail, i) => tail.seen.length >= (expected[i] ?? []).length)
      return isComplete && afterCursor.every(each => ids.has(each.eventId))
    }
    await until(isSeen, {
      why: () => `seen ${tails.map(each => each.seen.length)} of ${expected.map(each => each.length)}`,
    })
    isOver = true
    await Promise.all(following)

    for (const userId of users) {
      const ofUser = (events: readonly Written[]) => events.filter(each => each.userId === userId)
      for (const [i, { seen }] of tails.entries()) expect(ofUser(seen)).toEqual(ofUser(expected[i] ?? []))
      // it may begin within the events written meanwhile, and then has all later ones
      const seenLate = ofUser(late.seen)
      expect(seenLate).toEqual(ofUser(written).slice(ofUser(written).length - seenLate.length))
    }
    await h.engine.close()
  })

  it('may be acknowledged before lists show them, and then come after every earlier cursor', async () => {
    const h = await openHarness({ isLagShown: true })
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
    const query = { order: 'asc', user_id } as const
    const body = { type: 'daily.data.steps.created', user_id, only_event: true }
    const told: string[] = []
    const seen: string[] = []
    let hidden = 0
    let cursor = (await h.call('event.list', { query: { ...query, from: 'now' } })).next_cursor
    const read = async (): Promise<void> => {
      const page = await h.call('event.list', { query: { ...query, next_cursor: cursor ?? '' } })
      seen.push(...page.data.map(each => each.event_id))
      cursor = page.next_cursor
    }
    for (let i = 0; i < 30; i++) {
      told.push(...(await h.call('event.trigger', { body })).events.map(each => each.event_id))
      await read()
      hidden += told.length - seen.length
    }
    expect(hidden).toBeGreaterThan(0)
    await until(async () => {
      await read()
      return seen.length >= told.length
    })
    expect(seen).toEqual(told)
    await h.engine.close()
  })

  it('that precede a trigger and have no position yet are not among its events', async () => {
    const h = await openHarness({ isLagShown: true })
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
    for (let i = 0; i < 10; i++) {
      await h.call('event.trigger', { body: { type: 'daily.data.weight.created', user_id, only_event: true } })
      const { events } = await h.call('event.trigger', { body: { type: 'daily.data.steps.created', user_id } })
      expect(events.map(each => each.event_type)).not.toContain('daily.data.weight.created')
      expect(events.map(each => each.event_type)).toContain('daily.data.steps.created')
    }
    await h.engine.close()
  })
})

interface Told {
  readonly event_id: string
  readonly user_id: string
  readonly event_type: string
  readonly sequence: number
}

function toWritten({ event_id, user_id, event_type, sequence }: Told): Written {
  return { eventId: event_id, userId: user_id, type: event_type, sequence }
}
