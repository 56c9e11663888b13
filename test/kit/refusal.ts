/** The form that every refusal of a command must have. */
import { expect } from 'vitest'
import type { Run } from './sandbox.ts'

/** Expects a refusal: nothing on stdout, one message on stderr without a stack trace, the documented exit code. */
export function expectRefusal(run: Run, status: number, says: RegExp | readonly RegExp[]): void {
  expect(run.status, run.stderr).toBe(status)
  expect(run.stdout).toBe('')
  expect(run.stderr.match(/^Error: /gm), run.stderr).toHaveLength(1)
  expect(run.stderr).toMatch(/^Error: /)
  expect(run.stderr).not.toMatch(/^\s+at .+[:)]/m)
  for (const each of [says].flat()) expect(run.stderr).toMatch(each)
}
