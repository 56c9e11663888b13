/** `--set path=value`: a value is read as JSON if it is valid JSON, otherwise as text; each path may occur once. */
import { describe, expect, it } from 'vitest'
import { setValues } from '../../../src/cli/arguments/set-values.ts'
import { ServiceError } from '../../../src/core/errors.ts'

describe('--set', () => {
  it('reads valid JSON as JSON and anything else as text', () => {
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

  it('refuses a missing path, a missing value and a repeated path without repeating the value', () => {
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
