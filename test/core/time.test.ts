/** Parsing and printing date-times: what is accepted, what it means, and how it is printed. */
import { describe, expect, it } from 'vitest'
import { formatInstant, localDate, parseDate, parseDateTime, parseDuration, toInstant } from '../../src/core/time.ts'

describe('date-times', () => {
  it.each([
    ['2026-11-20T08:30:00Z', '2026-11-20T08:30:00+00:00', 'unknown'],
    ['2026-11-20T08:30:00-00:00', '2026-11-20T08:30:00+00:00', 'unknown'],
    ['2026-11-20T08:30:00+00:00', '2026-11-20T08:30:00+00:00', 0],
    ['2026-11-20T08:30:00.250+01:30', '2026-11-20T07:00:00.250+00:00', 5400],
    ['2026-11-20 08:30:00 -0500', '2026-11-20T13:30:00+00:00', -18_000],
    ['2026-11-20T08:30', '2026-11-20T08:30:00+00:00', 'floating'],
  ])('%s means %s with the offset %s', (text, printed, offset) => {
    const parsed = parseDateTime(text)
    expect(parsed && formatInstant(toInstant(parsed))).toBe(printed)
    expect(parsed?.offset).toBe(offset)
  })

  it('finer than a millisecond are truncated and marked as such', () => {
    expect(parseDateTime('2026-11-20T08:30:00.1234567Z')).toMatchObject({
      local: Date.UTC(2026, 10, 20, 8, 30, 0, 123),
      truncated: true,
    })
    expect(parseDateTime('2026-11-20T08:30:00.123000Z')?.truncated).toBe(false)
  })

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20T08:61:00Z',
    '20.11.2026',
    '',
    'now',
    '2026-11-20T08:30:00+99:00',
  ])('%s is not valid', text => {
    expect(parseDateTime(text)).toBeUndefined()
  })

  it('accept leap days that exist', () => {
    expect(parseDate('2024-02-29')).toBe(Date.UTC(2024, 1, 29))
    expect(parseDate('2023-02-29')).toBeUndefined()
    expect(parseDate('2026-1-1')).toBeUndefined()
  })
})

describe('durations', () => {
  it('are a number and a unit', () => {
    expect(['90s', '5m', '2h', '7d', '1w', '-1d'].map(parseDuration)).toEqual([
      90_000, 300_000, 7_200_000, 604_800_000, 604_800_000, -86_400_000,
    ])
    expect(['7', 'd', '1y', '1.5h', '7 d', ''].map(parseDuration)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('the local date of an instant', () => {
  it.each([
    ['2026-11-20T23:30:00Z', 3600, '2026-11-21'],
    ['2026-11-20T04:30:00Z', -18_000, '2026-11-19'],
    ['2026-11-20T23:30:00Z', null, '2026-11-20'],
  ])('%s at an offset of %s s is %s', (text, offset, date) => {
    expect(localDate(Date.parse(text), offset)).toBe(date)
  })
})
