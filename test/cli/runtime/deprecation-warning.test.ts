/** The warning of a command that used a deprecated feature. */
import { describe, expect, it } from 'vitest'
import { deprecationWarnings } from '../../../src/cli/runtime/deprecation-warning.ts'

describe('a warning', () => {
  it('contains the removal date and the replacement of a deprecated path, operation or input', () => {
    const path = deprecationWarnings('timeseries.grouped', { params: { resource: 'hypnogram' } }, {})
    expect(path).toEqual([expect.stringMatching(/^Warning: deprecated, to be removed on 2025-01-31: .*sleep_cycle/)])
    const input = deprecationWarnings(
      'timeseries.grouped',
      { params: { resource: 'steps' }, query: { cursor: 'c' } },
      {},
    )
    expect(input).toEqual(['Warning: deprecated: cursor of a timeseries page. Replacement: next_cursor.'])
    const order = deprecationWarnings('order.create', { body: { lab_test_id: 'x' } }, {})
    expect(order.join()).toContain('order_set.lab_test_ids')
  })

  it('passes on announcements of another server', () => {
    const sunset = 'Sat, 31 Jan 2026 00:00:00 GMT'
    expect(deprecationWarnings('user.get', {}, { deprecation: '@1704067200', sunset })).toEqual([
      'Warning: the server says that /v2/user/{user_id} is deprecated and will be removed on 2026-01-31.',
    ])
    expect(deprecationWarnings('user.get', {}, { deprecation: 'true', sunset: 'soon' })).toHaveLength(1)
  })

  it('does not appear for anything else', () => {
    const read = { params: { resource: 'steps' }, query: { start_date: '2026-01-01', cursor: undefined } }
    expect(deprecationWarnings('timeseries.grouped', read, {})).toEqual([])
    expect(deprecationWarnings('user.create', { body: { client_user_id: 'x' } }, {})).toEqual([])
  })
})
