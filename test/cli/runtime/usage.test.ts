/** What the command-line parser objects to, in words of ours. */
import { CLIError } from '@oclif/core/errors'
import { describe, expect, it } from 'vitest'
import { asUsageError } from '../../../src/cli/runtime/usage.ts'
import { ServiceError } from '../../../src/core/errors.ts'

const KNOWN = { command: 'labs marker', flags: [], missing: [], usage: 'labs marker LAB CODE [FLAGS]' }
const message = (thrown: Error) => (asUsageError(thrown, KNOWN) as ServiceError).message

describe('an objection of the parser', () => {
  it('to an argument that is no number is a usage error, not a bug', () => {
    const error = asUsageError(new Error('Expected an integer but received: x'), KNOWN) as ServiceError
    expect(error).toBeInstanceOf(ServiceError)
    expect(error.category).toBe('usage')
    expect(error.suggestions[0]).toContain('labs marker LAB CODE')
  })

  it('to flags that exclude or need each other is said without their values', () => {
    const start = 'The following error occurred:\n  '
    expect(message(new CLIError(`${start}--deny=true cannot also be provided when using --approve`))).toBe(
      '--deny and --approve exclude each other.',
    )
    expect(message(new CLIError(`${start}All of the following must be provided when using --grant: --approve`))).toBe(
      '--grant needs --approve.',
    )
  })

  it('leaves other errors alone', () => {
    const bug = new TypeError('x is not a function')
    expect(asUsageError(bug, KNOWN)).toBe(bug)
  })
})
