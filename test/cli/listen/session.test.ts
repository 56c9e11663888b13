/** A run of `svc listen` from its first page to its summary. */
import { expect, test } from 'vitest'
import { Board } from '../../../src/cli/listen/board.ts'
import { eventWriter } from '../../../src/cli/listen/event-writer.ts'
import type { ServiceEvent } from '../../../src/cli/listen/heard-event.ts'
import { ListenSession } from '../../../src/cli/listen/session.ts'
import { openTarget } from '../../../src/cli/listen/target.ts'
import { systemTime } from '../../../src/core/clock.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { newSecret } from '../../../src/delivery/signature.ts'
import { openSink } from '../../kit/sink.ts'
import { until } from '../../kit/until.ts'

const event = (sequence: number): ServiceEvent => ({
  event_id: `event-${sequence}`,
  event_type: 'daily.data.steps.created',
  at: `2026-11-20T12:00:0${sequence}+00:00`,
  sequence,
  user_id: `user-${sequence}`,
  client_user_id: 'ada',
  payload: { sequence },
})

async function setUp(url: string | undefined) {
  const lines: string[] = []
  const shown: string[] = []
  const stop = new AbortController()
  const secret = () => newSecret(systemRandom)
  const target = await openTarget(url, {
    secret,
    version: '0.0.0',
    headerPrefix: null,
    allowPrivate: false,
    time: systemTime,
  })
  const pages = [[event(1), event(2)]]
  const session = new ListenSession({
    page: async () => ({ data: pages.shift() ?? [], next_cursor: 'c' }),
    payload: async id => {
      if (id === 'event-2') throw new ServiceError('not_found', 'There is no such event.')
      return { sequence: 1 }
    },
    target,
    board: new Board(
      text => shown.push(text),
      line => lines.push(line),
    ),
    write: eventWriter({ format: 'json', color: false, withPayload: false }),
    drained: async () => {},
    idleMs: 5,
    random: { bytes: (count: number) => new Uint8Array(count) },
    signal: stop.signal,
  })
  return { session, said: lines, shown, stop, close: () => target?.poster.close() }
}

test('the summary counts deliveries, and says where to continue if events are undelivered', async () => {
  const handler = await openSink(({ body }) => (JSON.parse(body).sequence === 1 ? 200 : 500))
  const { session, said: lines, shown, stop, close } = await setUp(handler.url)
  const running = session.run('Press Ctrl-C to stop')
  await until(() => shown.length === 2)
  stop.abort()
  await running
  expect(lines[0]).toMatch(/^Ready: events are sent to http:\/\/127.*\nPress Ctrl-C to stop\.$/)
  expect(lines.at(-1)).toMatch(
    /^2 events in .*: 1 delivered, 1 not delivered; 2 attempts\.\nTo receive the rest again, add --since 2026-11-20T12:00:02\+00:00$/,
  )
  await close()
})

test('without a target nothing can be resent, and a removed event is reported as gone', async () => {
  const { session, said: lines, shown, stop } = await setUp(undefined)
  const running = session.run('Press Ctrl-C to stop')
  await until(() => shown.length === 2)
  await session.resendLast()
  await session.inspect(null)
  await session.inspect(7)
  await session.inspect(1)
  stop.abort()
  await running
  expect(lines.join('\n')).toMatch(/with --forward-to/)
  expect(lines.join('\n')).toMatch(/The body of the event cannot be read: There is no such event\./)
  expect(lines.join('\n')).toMatch(/There is no event 7, or it is too old to show/)
  expect(shown.at(-1)).toMatch(/#1 {2}daily\.data\.steps\.created[\s\S]*"sequence": 1/)
  expect(lines.at(-1)).toMatch(/^2 events in/)
})
