/** The mappings that `--map` can express, and how invalid ones are refused. */
import { expect, test } from 'vitest'
import { type MappingOptions, parseMapping } from '../../../src/connectors/files/mapped/mapping.ts'
import { ServiceError } from '../../../src/core/errors.ts'

function refusal(pairs: readonly string[], options: MappingOptions = {}): ServiceError {
  try {
    parseMapping(pairs, options)
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError)
    expect((error as ServiceError).exitCode).toBe(2)
    return error as ServiceError
  }
  throw new Error('the mapping was taken')
}

test('reads the columns, and the values that apply to all rows', () => {
  expect(
    parseMapping(['start=Time', 'value=Value = mg'], { resource: 'steps', unit: 'count', timeZone: 'Europe/Berlin' }),
  ).toEqual({
    columns: { start: 'Time', value: 'Value = mg' },
    resource: 'steps',
    unit: 'count',
    timeZone: 'Europe/Berlin',
  })
})

test('accepts the query name of a resource, and stores under its path name', () => {
  expect(parseMapping(['start=t', 'value=v'], { resource: 'weight', unit: 'lb' }).resource).toBe('body_weight')
})

test('has no columns without --map: the refusal lists the ones in the file', () => {
  expect(parseMapping([], { resource: 'steps' })).toMatchObject({ columns: {}, resource: 'steps' })
})

test.each([
  [['date=d', 'value=v'], { resource: 'steps' }, /date needs a column for time; use --map time=COLUMN/],
  [['time=t', 'value=v'], { resource: 'steps' }, /time needs a column for date; use --map date=COLUMN/],
  [['start=s', 'date=d', 'time=t', 'value=v'], { resource: 'steps' }, /date and time cannot be mapped as well/],
  [['start'], { resource: 'steps' }, /"start" is not TARGET=COLUMN/],
  [['strat=Time'], { resource: 'steps' }, /Did you mean "start"/],
  [['start='], { resource: 'steps' }, /start= has no column/],
  [['start=a', 'start=b', 'value=c'], { resource: 'steps' }, /start is mapped twice/],
  [['value=v'], { resource: 'steps' }, /no column is mapped to start/],
  [['start=t'], { resource: 'steps' }, /steps needs a column for value/],
  [['start=t', 'value=v'], {}, /the resource of the rows is not set/],
  [['start=t', 'value=v'], { resource: 'blood_pressure' }, /needs a column for systolic/],
  [['start=t', 'value=v'], { resource: 'cholesterol' }, /needs a column for its type \(ldl, hdl/],
  [['start=t', 'value=v'], { resource: 'note' }, /note needs a column for content/],
  [['start=t', 'value=v', 'content=c'], { resource: 'steps' }, /steps has no content/],
  [['start=t', 'value=v'], { resource: 'steps', unit: 'km' }, /"km" is not a unit of steps/],
  [['start=t', 'value=v'], { resource: 'steps', timeZone: 'Berlin/Europe' }, /Europe\/Berlin/],
])('refuses %j %j', (pairs, options, message) => {
  const error = refusal(pairs as string[], options as MappingOptions)
  expect(error.code).toBe('invalid_request')
  expect(error.message).toMatch(message as RegExp)
})

test('refuses an unknown resource and suggests the nearest names', () => {
  const error = refusal(['start=t', 'value=v'], { resource: 'step' })
  expect(error).toMatchObject({ code: 'unknown_resource', message: expect.stringMatching(/Did you mean "steps"/) })
})

test.each(['sleep', 'Workout', 'sleep-cycle'])('explains that tables contain samples, for the summary %s', resource => {
  expect(refusal(['start=t', 'value=v'], { resource })).toMatchObject({
    code: 'unknown_resource',
    message: expect.stringMatching(
      /is a kind of summary, but the rows of a table are imported as samples\. Allowed: .*steps/,
    ),
    suggestions: [expect.stringContaining('svc docs samples'), expect.stringContaining('svc timeseries resources')],
  })
})

test('accepts milligrams as a unit of cholesterol, because each row has its type', () => {
  const mapping = parseMapping(['start=t', 'value=v', 'type=k'], { resource: 'cholesterol', unit: 'mg/dL' })
  expect(mapping.unit).toBe('mg/dL')
})
