/** How `svc listen` shows an event. */
import { describe, expect, test } from 'vitest'
import { duration, eventLine } from '../../../src/cli/listen/event-line.ts'
import { eventWriter } from '../../../src/cli/listen/event-writer.ts'
import type { Attempt, HeardEvent } from '../../../src/cli/listen/heard-event.ts'
import { inspection } from '../../../src/cli/listen/inspection.ts'

const AT = new Date(2026, 10, 20, 14, 3, 22).getTime()

const heard = (state: HeardEvent['state'], clientUserId = 'ada'): HeardEvent => ({
  number: 12,
  event: {
    event_id: '0b6c8f0e-0000-4000-8000-000000000001',
    event_type: 'daily.data.steps.created',
    at: '2026-11-20T12:00:00+00:00',
    sequence: 7,
    user_id: '0b6c8f0e-0000-4000-8000-000000000002',
    client_user_id: clientUserId,
  },
  attempts: [],
  state,
})

const attempt = (changes: Partial<Attempt>): Attempt => ({
  status: 200,
  error: null,
  failure: null,
  ms: 12,
  retryAfterMs: null,
  responseText: '',
  number: 1,
  at: AT,
  headers: {},
  ...changes,
})

describe('a line on a terminal', () => {
  test('shows number, time, type, user, status and duration', () => {
    const line = eventLine({ heard: heard('delivered'), attempt: attempt({}), againMs: null }, false)
    // fits a terminal 80 columns wide
    expect(line).toBe(' 12  14:03:22  daily.data.steps.created             ada          200    12 ms')
  })

  test.each([
    [{ status: 500, ms: 1_500 }, 2_000, 'waiting', / 500 {4}1\.5 s {2}next attempt in 2 s$/],
    [{ number: 2 }, null, 'delivered', / 200 {4}12 ms {2}attempt 2$/],
    [
      { status: null, error: 'no answer within 15 s', ms: 15_000 },
      800,
      'waiting',
      /fail {5}15 s {2}no answer within 15 s; next attempt in 1 s$/,
    ],
    [{ status: 307 }, 1_000, 'waiting', /redirects are not followed; next attempt in 1 s$/],
    [{ status: 410 }, null, 'given_up', /410 .*given up: a real endpoint would now be disabled$/],
    [{ status: 500, number: 8 }, null, 'given_up', /attempt 8; given up$/],
  ] as const)('shows what happened after %j', (changes, againMs, state, says) => {
    expect(eventLine({ heard: heard(state), attempt: attempt(changes), againMs }, false)).toMatch(says)
  })

  test('removes control characters from a name and shortens a long one', () => {
    const line = eventLine(
      { heard: heard('delivered', `\u001b[2J${'x'.repeat(40)}`), attempt: attempt({}), againMs: null },
      false,
    )
    expect(line).not.toContain('\u001b')
    expect(line).toMatch(/x…/)
  })

  test('shows the time of the event without a target, and uses colors only on request', () => {
    const line = eventLine({ heard: heard('heard'), attempt: null, againMs: null }, false)
    expect(line).toMatch(/^ 12 {2}2026-11-\d\d \d\d:\d\d:\d\d {2}daily\.data\.steps\.created {13}ada$/)
    expect(eventLine({ heard: heard('delivered'), attempt: attempt({}), againMs: null }, true)).toContain(
      '\u001b[32m 200',
    )
  })
})

describe('output for a program', () => {
  const shown = { heard: heard('waiting'), attempt: attempt({ status: 503, number: 2 }), againMs: 1_999.6 }

  test.each(['json', 'ndjson'] as const)('is one object for each line (%s), with the body on request', format => {
    const write = eventWriter({ format, color: false, withPayload: true })
    const text = write(shown, '{"event_type":"x"}')
    expect(text.endsWith('}\n') && text.split('\n').length === 2).toBe(true)
    expect(JSON.parse(text)).toEqual({
      ...shown.heard.event,
      attempt: 2,
      sent_at: new Date(AT - 12).toISOString(),
      status: 503,
      error: null,
      ms: 12,
      state: 'waiting',
      retry_in_ms: 2_000,
      payload: { event_type: 'x' },
    })
  })

  test('is csv with a single header', () => {
    const write = eventWriter({ format: 'csv', color: false, withPayload: false })
    const lines = (write(shown, '{}') + write(shown, '{}')).trimEnd().split(/\r?\n/)
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^event_id,event_type,.*,status,error,ms,state,retry_in_ms$/)
  })
})

test('an inspection shows the user, every attempt with request and response, and the body', () => {
  const event = heard('waiting')
  event.attempts.push(
    attempt({ status: null, error: 'no answer within 15 s', ms: 15_000 }),
    attempt({ number: 2, status: 500, responseText: 'oops\u001b[31m\nline 2\n', headers: { 'webhook-id': 'event-1' } }),
  )
  const text = inspection(event, { data: [1, 2] })
  expect(text).toMatch(/^#12 {2}daily\.data\.steps\.created$/m)
  expect(text).toMatch(/^user {6}ada \(0b6c8f0e/m)
  expect(text).toMatch(/^attempts {2}1 {2}14:03:22 {2}no response {2}15 s {2}no answer within 15 s$/m)
  expect(text).toMatch(/^ +2 {2}14:03:22 {2}500 {2}12 ms$/m)
  expect(text).toMatch(/^sent {6}webhook-id: event-1$/m)
  expect(text).toMatch(/^response {2}oops.\[31m\n +line 2$/m)
  expect(text).toMatch(/^body {6}\{\n {12}"data": \[/m)
  expect(text).not.toContain('\u001b')
})

test.each([
  [0.4, '0 ms'],
  [999, '999 ms'],
  [1_234, '1.2 s'],
  [15_000, '15 s'],
  [180_000, '3 min'],
])('%d ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})
