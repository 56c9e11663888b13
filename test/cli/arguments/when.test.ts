/** The meaning of a date on the command line, and the form in which the service gets it. */
import { describe, expect, test } from 'vitest'
import { type DateRole, dateReader, repeatableFlags } from '../../../src/cli/arguments/dates.ts'
import { parsePeriod } from '../../../src/cli/arguments/when.ts'
import type { ServiceClient } from '../../../src/client/client.ts'
import { ServiceError } from '../../../src/core/errors.ts'

/** 00:30 of the next day in Berlin. */
const NOW = Date.parse('2026-11-22T23:30:00Z')
const shown = (text: string, zone: string, now = NOW) => {
  const period = parsePeriod(text, now, zone)
  return period && [period.first, period.last].map(at => new Date(at).toISOString().replace('.000Z', 'Z'))
}

describe('a date on the command line', () => {
  test.each([
    ['today', 'Europe/Berlin', '2026-11-22T23:00:00Z', '2026-11-23T22:59:59.999Z'],
    ['today', 'UTC', '2026-11-22T00:00:00Z', '2026-11-22T23:59:59.999Z'],
    ['Yesterday', 'Europe/Berlin', '2026-11-21T23:00:00Z', '2026-11-22T22:59:59.999Z'],
    ['tomorrow', 'Asia/Tokyo', '2026-11-23T15:00:00Z', '2026-11-24T14:59:59.999Z'],
    ['2026-11-03', 'America/New_York', '2026-11-03T05:00:00Z', '2026-11-04T04:59:59.999Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59.999Z'],
    ['2026-02', 'UTC', '2026-02-01T00:00:00Z', '2026-02-28T23:59:59.999Z'],
    ['2026-12', 'Europe/Berlin', '2026-11-30T23:00:00Z', '2026-12-31T22:59:59.999Z'],
    ['2024', 'UTC', '2024-01-01T00:00:00Z', '2024-12-31T23:59:59.999Z'],
    ['7d', 'Europe/Berlin', '2026-11-15T23:30:00Z', '2026-11-15T23:30:00Z'],
    ['12h', 'Asia/Tokyo', '2026-11-22T11:30:00Z', '2026-11-22T11:30:00Z'],
    ['10m', 'UTC', '2026-11-22T23:20:00Z', '2026-11-22T23:20:00Z'],
    ['2026-11-03T08:00', 'Europe/Berlin', '2026-11-03T07:00:00Z', '2026-11-03T07:00:00Z'],
    ['2026-11-03T08:00:00+02:00', 'Europe/Berlin', '2026-11-03T06:00:00Z', '2026-11-03T06:00:00Z'],
  ])('%s in %s means a period from its first to its last moment', (text, zone, first, last) => {
    expect(shown(text, zone)).toEqual([first, last])
  })

  test.each([
    '',
    'soon',
    '-7d',
    '0d',
    '7',
    '7 d',
    '2026-13',
    '2026-00',
    '2026-02-30',
    '9999',
    'last-week',
    'constructor',
  ])('is refused: %j', text => {
    expect(shown(text, 'UTC')).toBeUndefined()
  })
})

/** A service that has a clock, and users in Berlin. Counts the calls. */
function service(zone: string | null = 'Europe/Berlin', clock: ServiceError | null = null) {
  const calls: string[] = []
  const client = {
    call: async (id: string) => {
      calls.push(id)
      if (id === 'clock.get' && clock) throw clock
      const body =
        id === 'clock.get' ? { now: '2026-11-22T23:30:00+00:00' } : { fallback_time_zone: zone && { id: zone } }
      return { kind: 'json', status: 200, headers: {}, body }
    },
  } as unknown as ServiceClient // the reader only calls it
  return { client, calls }
}

describe('the service gets', () => {
  test.each<[DateRole, string, string, string[]]>([
    ['start', 'yesterday', '2026-11-21T23:00:00+00:00', ['user.get', 'clock.get']],
    ['end', 'yesterday', '2026-11-22T22:59:59.999+00:00', ['user.get', 'clock.get']],
    ['start', '2026-11-03', '2026-11-02T23:00:00+00:00', ['user.get']],
    ['start', '7d', '2026-11-15T23:30:00+00:00', ['clock.get']],
    ['start', '2026-11-03T08:00:00Z', '2026-11-03T08:00:00Z', []],
    ['first day', '2026-11-03', '2026-11-03', []],
    ['first day', '2026-11', '2026-11-01', ['user.get', 'clock.get']],
    ['last day', '2026-11', '2026-11-30', ['user.get', 'clock.get']],
    ['last day', 'today', '2026-11-23', ['user.get', 'clock.get']],
    ['first day', '12h', '2026-11-22', ['user.get', 'clock.get']],
    ['end', '', '', []],
  ])('%s of %j as %s, with these calls: %j', async (edge, text, sent, calls) => {
    const { client, calls: made } = service()
    expect(await dateReader(client, 'id')(edge, '--start', text)).toBe(sent)
    expect(made).toEqual(calls)
  })

  test.each<[DateRole, string, string]>([
    ['start', '2026-11-03', '2026-11-03'],
    ['end', '2026-11-03', '2026-11-03'],
    ['end', 'today', '2026-11-22T23:59:59.999+00:00'],
    ['moment', '2026-11-03', '2026-11-03T00:00:00+00:00'],
  ])('in UTC, for a user without a zone and for no user: %s of %s as %s', async (edge, text, sent) => {
    expect(await dateReader(service(null).client, 'id')(edge, '--start', text)).toBe(sent)
    expect(await dateReader(service().client)(edge, '--start', text)).toBe(sent)
  })

  test('a time by this machine’s clock if the service does not report its own', async () => {
    const { client } = service(null, new ServiceError('unsupported_operation', 'There is no clock.'))
    const before = Date.now() - 3_600_000
    expect(Date.parse(await dateReader(client)('start', '--since', '1h'))).toBeGreaterThanOrEqual(before)
  })

  test('nothing if the text has none of the forms, and the message names the flag and the forms', async () => {
    const read = dateReader(service().client)
    await expect(read('start', '--start', 'soon')).rejects.toThrow(/^--start must be .*YYYY-MM-DD.*yesterday.*7d/)
  })
})

test('a relative flag is repeated as a resolved time next to a cursor, because the cursor belongs to that time', () => {
  const at = '2026-11-15T23:30:00+00:00'
  expect(repeatableFlags({ '--start': ['7d', at], '--end': [undefined, undefined] })).toBe(`--start ${at} `)
  expect(repeatableFlags({ '--start': ['2026-11-03', at], '--end': [at, at] })).toBe('')
})
