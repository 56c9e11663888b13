/** Lines of a busy log are written together once in each pass of the event loop, in order, and the rest at the end. */
import { expect, it } from 'vitest'
import { BatchedLines } from '../../../src/cli/output/batched-lines.ts'

it('writes the lines of one event loop pass together, and the remaining lines at the end', async () => {
  const written: string[] = []
  const lines = new BatchedLines(text => written.push(text))
  lines.add('a')
  lines.add('b')
  expect(written).toEqual([])
  await new Promise(setImmediate)
  lines.add('c')
  lines.flush()
  await new Promise(setImmediate)
  expect(written).toEqual(['a\nb', 'c'])
})
