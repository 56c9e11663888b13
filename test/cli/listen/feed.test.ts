/** The feed of events: it misses and repeats nothing, and waits for a service that stops responding. */
import { expect, test } from 'vitest'
import { type EventPage, eventFeed } from '../../../src/cli/listen/feed.ts'
import type { ServiceEvent } from '../../../src/cli/listen/heard-event.ts'
import { ServiceError } from '../../../src/core/errors.ts'

type Page = EventPage<ServiceEvent>
type Call = Parameters<Parameters<typeof eventFeed>[0]['page']>[0]

const event = (id: string): ServiceEvent => ({
  event_id: id,
  event_type: 'daily.data.steps.created',
  at: '2026-11-20T12:00:00+00:00',
  sequence: 1,
  user_id: 'u',
  client_user_id: 'ada',
  payload: {},
})
const page = (cursor: string, ...ids: string[]): Page => ({ data: ids.map(event), next_cursor: cursor })

/** Runs the feed over these responses, and ends after the last one. */
async function listen(responses: readonly (Page | ServiceError)[]) {
  const controller = new AbortController()
  const calls: Call[] = []
  const lines: string[] = []
  const got: string[] = []
  const left = [...responses]
  const feed = eventFeed<ServiceEvent>({
    page: async at => {
      calls.push(at)
      const next = left.shift()
      if (next === undefined) {
        controller.abort()
        throw new ServiceError('cancelled', 'Cancelled.')
      }
      if (next instanceof ServiceError) throw next
      return next
    },
    idleMs: 1,
    signal: controller.signal,
    random: { bytes: (count: number) => new Uint8Array(count) },
    onReady: () => lines.push('ready'),
    onLost: reason => lines.push(`lost: ${reason.message}`),
    onBack: () => lines.push('back'),
    onReplaced: () => lines.push('replaced'),
  })
  for await (const each of feed) got.push(each.event_id)
  return { calls, said: lines, got }
}

test('continues from the cursor of each page, even an empty one', async () => {
  const { calls, got, said: lines } = await listen([page('c1'), page('c2', 'a', 'b'), page('c3', 'c'), page('c4')])
  expect(got).toEqual(['a', 'b', 'c'])
  expect(calls.map(each => each.cursor)).toEqual([null, 'c1', 'c2', 'c3', 'c4'])
  expect(lines).toEqual(['ready'])
})

test('waits for a service that stops responding, and reports the outage once and its end once', async () => {
  const lost = new ServiceError('network', 'It cannot be reached.')
  const restarting = new ServiceError('server_failed', 'It answered 502.', { status: 502 })
  const { calls, got, said: lines } = await listen([page('c1', 'a'), lost, restarting, page('c2', 'b')])
  expect(got).toEqual(['a', 'b'])
  expect(lines).toEqual(['ready', 'lost: It cannot be reached.', 'back'])
  expect(calls.map(each => each.cursor)).toEqual([null, 'c1', 'c1', 'c1', 'c2'])
})

test('fails at once if the service never responded or refuses the request', async () => {
  await expect(listen([new ServiceError('network', 'It cannot be reached.')])).rejects.toMatchObject({
    code: 'network',
  })
  const refused = new ServiceError('invalid_api_key', 'Invalid API key')
  await expect(listen([page('c1'), refused])).rejects.toBe(refused)
})

test('restarts with new events when the store was replaced', async () => {
  const unknown = new ServiceError('invalid_cursor', 'The cursor was not issued for this call.')
  const { calls, got, said: lines } = await listen([page('c1', 'a'), unknown, page('d1'), page('d2', 'b')])
  expect(got).toEqual(['a', 'b'])
  expect(lines).toEqual(['ready', 'replaced'])
  expect(calls.slice(1, 4)).toEqual([
    { cursor: 'c1', fresh: false },
    { cursor: null, fresh: true },
    { cursor: 'd1', fresh: true },
  ])
})
