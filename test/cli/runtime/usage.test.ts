/** Errors of the command-line parser in our own words. */
import { CLIError } from '@oclif/core/errors'
import { describe, expect, it } from 'vitest'
import { asUsageError } from '../../../src/cli/runtime/usage.ts'
import { ServiceError } from '../../../src/core/errors.ts'

const KNOWN = { command: 'labs marker', flags: [], missing: [], usage: 'labs marker LAB CODE [FLAGS]' }
const message = (thrown: Error) => (asUsageError(thrown, KNOWN) as ServiceError).message

describe('a parser error', () => {
  it('about an argument that is not a number is a usage error, not a bug', () => {
    const error = asUsageError(new Error('Expected an integer but received: x'), KNOWN) as ServiceError
    expect(error).toBeInstanceOf(ServiceError)
    expect(error.category).toBe('usage')
    expect(error.suggestions[0]).toContain('labs marker LAB CODE')
  })

  it('about flags that exclude or require each other does not contain their values', () => {
    const start = 'The following error occurred:\n  '
    expect(message(new CLIError(`${start}--deny=true cannot also be provided when using --approve`))).toBe(
      '--deny and --approve cannot be used together.',
    )
    expect(message(new CLIError(`${start}All of the following must be provided when using --grant: --approve`))).toBe(
      '--grant needs --approve.',
    )
  })

  it('of any other kind is unchanged', () => {
    const bug = new TypeError('x is not a function')
    expect(asUsageError(bug, KNOWN)).toBe(bug)
  })
})
