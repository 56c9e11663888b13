/** Finding the operation for a method and a path. */
import { describe, expect, test } from 'vitest'
import { findOperation } from '../../../src/cli/arguments/operation-path.ts'
import { operationIds, operations } from '../../../src/contract/operations.ts'

describe('a path', () => {
  test.each(operationIds)('of %s is resolved to the operation', id => {
    const { method, path } = operations[id]
    expect(findOperation(method, path.replaceAll(/\{\w+\}/g, 'x-1')).id).toBe(id)
  })

  test('is split into its decoded parameters and its query', () => {
    const found = findOperation('GET', '/v2/timeseries/u%2F1/steps/grouped?start_date=2026-01-01&x=1&x=2')
    expect(found.params).toEqual({ user_id: 'u/1', resource: 'steps' })
    expect(found.query).toEqual({ start_date: '2026-01-01', x: ['1', '2'] })
  })

  test('works without a leading slash and with a trailing one', () => {
    expect(findOperation('POST', 'v2/user/').id).toBe('user.create')
  })

  test('that is unknown gets the nearest path as a suggestion, and a wrong method gets the right one', () => {
    expect(() => findOperation('GET', '/v2/usr')).toThrow(/no operation/)
    for (const path of ['/healthz', '/openapi.json', '/link?token=x']) {
      expect(() => findOperation('GET', path)).toThrow(/Only `svc serve` /)
    }
    expect(() => findOperation('PATCH', '/v2/providers')).toThrow(/It allows GET/)
    expect(() => findOperation('GET', '/v2/user/%E0%A4%A')).toThrow(/escape/)
  })
})
