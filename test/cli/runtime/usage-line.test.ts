/** The usage of a command in one line. */
import { expect, test } from 'vitest'
import { usageLine } from '../../../src/cli/runtime/usage-line.ts'

test('names arguments and required flags, and the others together', () => {
  const args = { user: { required: true }, query: {} }
  const flags = { start: { required: true, helpValue: 'DATE' }, provider: {}, key: { required: true } }
  expect(usageLine({ id: 'timeseries:get', args, flags })).toBe(
    'timeseries get USER [QUERY] --start DATE --key VALUE [FLAGS]',
  )
})
