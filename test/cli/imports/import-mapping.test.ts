/** The mapping flags of `svc import`. */
import { expect, test } from 'vitest'
import { mappingText } from '../../../src/cli/imports/import-mapping.ts'
import { ServiceError } from '../../../src/core/errors.ts'

test('become one document', () => {
  const text = mappingText({
    map: ['start=Time', 'value=a=b'],
    resource: 'steps',
    unit: 'count',
    'time-zone': 'Europe/Berlin',
  })
  expect(JSON.parse(text as string)).toEqual({
    columns: { start: 'Time', value: 'a=b' },
    resource: 'steps',
    unit: 'count',
    time_zone: 'Europe/Berlin',
  })
})

test('are empty when none is given', () => {
  expect(mappingText({})).toBeUndefined()
})

test('may consist of a time zone only', () => {
  expect(JSON.parse(mappingText({ 'time-zone': 'UTC' }) as string)).toEqual({ columns: {}, time_zone: 'UTC' })
})

test.each([['start'], ['=Time'], ['start=']])('refuse "%s"', pair => {
  expect(() => mappingText({ map: [pair] })).toThrow(ServiceError)
})

test('refuse a target that is given twice', () => {
  expect(() => mappingText({ map: ['start=a', 'start=b'] })).toThrow('--map contains start twice.')
})
