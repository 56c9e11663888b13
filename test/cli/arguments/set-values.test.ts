/** `--set path=value`: JSON where it is JSON, text otherwise, each path once. */
import { describe, expect, it } from 'vitest'
import { setValues } from '../../../src/cli/arguments/set-values.ts'
import { ServiceError } from '../../../src/core/errors.ts'

describe('--set', () => {
  it('reads values as JSON, and as text what is none', () => {
    expect(
      setValues([
        'data.value=72',
        'data.source.provider=oura',
        'data.tags=["a"]',
        'data.x="7"',
        'data.y=',
        'data.z=a=b',
      ]),
    ).toEqual({
      'data.value': 72,
      'data.source.provider': 'oura',
      'data.tags': ['a'],
      'data.x': '7',
      'data.y': '',
      'data.z': 'a=b',
    })
    expect(setValues([])).toEqual({})
  })

  it('refuses what has no path or no value, and a path twice, without saying the value back', () => {
    for (const given of [['secretvalue'], ['=secretvalue'], [' =secretvalue'], ['data.a=1', 'data.a=secretvalue']]) {
      let thrown: unknown
      try {
        setValues(given)
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(ServiceError)
      expect((thrown as ServiceError).code).toBe('usage')
      expect((thrown as ServiceError).message).not.toContain('secretvalue')
    }
  })
})
