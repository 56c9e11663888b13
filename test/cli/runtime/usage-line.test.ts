/** The one-line usage of a command. */
import { expect, test } from 'vitest'
import { usageLine } from '../../../src/cli/runtime/usage-line.ts'

test('lists the arguments and required flags, and summarizes the other flags', () => {
  const args = { user: { required: true }, query: {} }
  const flags = { start: { required: true, helpValue: 'DATE' }, provider: {}, key: { required: true } }
  expect(usageLine({ id: 'timeseries:get', args, flags })).toBe(
    'timeseries get USER [QUERY] --start DATE --key VALUE [FLAGS]',
  )
})
