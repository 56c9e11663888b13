/**
 * Limits on how long a provider can keep a pull busy and on how much of it is kept, tested separately, because several of them would end
 * the same list in a pull.
 */
import { expect, it } from 'vitest'
import type { Collection } from '../../../src/connectors/connector.ts'
import { ahead } from '../../../src/connectors/live/ahead.ts'
import { guardConnector } from '../../../src/connectors/live/guarded.ts'
import type { LiveConnector } from '../../../src/connectors/live/live-connector.ts'
import type { TokenSession } from '../../../src/connectors/provider-session.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { countedSession } from '../../../src/engine/live/pulling/counted-session.ts'
import type { LivePerson } from '../../../src/engine/live/pulling/live-person.ts'
import { afterWindow } from '../../../src/engine/live/pulling/progress.ts'
import type { CollectionProgress } from '../../../src/store/live/connections.ts'
import { NOON } from '../../kit/harness.ts'

/** Ends far above every limit, so that a test fails instead of hanging if the limit is missing. */
const MANY = 50_000

/** Returns how many items a list yields, and why it ends. */
async function read(items: AsyncIterable<unknown>): Promise<{ count: number; error: unknown }> {
  let count = 0
  try {
    for await (const _ of items) count++
    return { count, error: null }
  } catch (error) {
    return { count, error }
  }
}

async function* pages(sizeOf: (page: number) => number): AsyncGenerator<number> {
  for (let page = 1; page <= MANY; page++) yield sizeOf(page)
}

it('ends a list after 500 pages', async () => {
  const { count, error } = await read(
    ahead(
      pages(() => 1),
      size => size,
    ),
  )
  expect(count).toBe(500)
  expect(error).toMatchObject({ kind: 'bad_answer', message: 'The list does not end after 500 pages.' })
})

it('ends a list after 20 empty pages in a row', async () => {
  const { count, error } = await read(
    ahead(
      pages(page => (page <= 30 && page % 20 === 0 ? 1 : 0)),
      size => size,
    ),
  )
  expect(count).toBe(40)
  expect(error).toMatchObject({ kind: 'bad_answer', message: 'The list does not end after 20 empty pages in a row.' })
})

it('ends a window after 2,000 requests', async () => {
  let sent = 0
  const session = { send: async () => sent++ } as unknown as TokenSession
  const connector = {
    provider: 'oura',
    async *pull(own: TokenSession) {
      for (let i = 0; i < MANY; i++) yield await own.send({ method: 'GET', url: new URL('https://provider.example') })
    },
  } as unknown as LiveConnector
  const { error } = await read(guardConnector(connector).pull(session, {} as never))
  expect(sent).toBe(2_000)
  expect(error).toMatchObject({ kind: 'bad_answer', message: 'One window took more than 2000 requests.' })
})

it('ends a collection after 20,000 requests in 24 hours, and continues it then', async () => {
  let [sent, now] = [0, NOON]
  const session = { send: async () => sent++, now: () => now } as unknown as TokenSession
  const person = { progress: new Map([['days', {}]]) } as unknown as LivePerson
  const counted = countedSession(session, person, 'days')
  const send = async () => {
    for (let i = 0; i < MANY; i++) await counted.send({ method: 'GET', url: new URL('https://provider.example') })
  }
  const refusal = { kind: 'bad_answer', message: 'It took more than 20000 requests in 24 hours.' }
  await expect(send()).rejects.toMatchObject(refusal)
  expect(sent).toBe(20_000)
  now += DAY_MS
  await expect(send()).rejects.toMatchObject(refusal)
  expect(sent).toBe(40_000)
})

it('keeps 200 names of unmapped fields, however many a provider sends', () => {
  const collection = { name: 'days', windowDays: 1, resources: [] } as unknown as Collection
  let progress = { unmapped: {}, goal: null, received: 0, empty: 0, reached: NOON } as unknown as CollectionProgress
  for (let i = 0; i < 500; i++) {
    const brought = {
      window: { from: NOON - DAY_MS, to: NOON },
      kind: 'refresh',
      received: 1,
      unmapped: { [`field-${2 * i}`]: 1, [`field-${2 * i + 1}`]: 1, constructor: 1 },
    } as const
    progress = afterWindow(collection, progress, brought, { now: NOON, oldest: 0, nextAt: NOON })
  }
  const { 'other fields': others, ...named } = progress.unmapped
  expect(Object.keys(named)).toHaveLength(200)
  expect(named['constructor']).toBe(500)
  expect(others).toBe(1_000 - 199)
})
