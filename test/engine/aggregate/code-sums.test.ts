import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import wabt from 'wabt'
import { MODULE, SUMS_FROM, sumCodes } from '../../../src/engine/aggregate/functions/code-sums.ts'
import { Sandbox } from '../../kit/sandbox.ts'

const TEXT = new URL('../../../src/engine/aggregate/functions/code-sums.wat', import.meta.url)

it('the module is the assembled text', async () => {
  const { parseWat } = await wabt()
  const assembled = parseWat('code-sums.wat', readFileSync(TEXT, 'utf8'), { simd: true }).toBinary({}).buffer
  expect(MODULE).toBe(Buffer.from(assembled).toString('base64'))
})

function sumByHand(codes: Uint8Array) {
  let [total, squares, low, high] = [0, 0, 255, 0]
  for (const code of codes) {
    total += code
    squares += code ** 2
    low = Math.min(low, code)
    high = Math.max(high, code)
  }
  return { total, squares, low, high }
}

it('sums are those of a loop, whatever the range', () => {
  const bytes = fc.uint8Array({ minLength: SUMS_FROM, maxLength: 700 })
  fc.assert(
    fc.property(bytes, fc.nat(15), fc.nat(15), (codes, before, after) => {
      const to = codes.length - after
      expect(sumCodes(codes, before, to)).toEqual(sumByHand(codes.subarray(before, to)))
    }),
  )
})

it.each([65_535, 65_536, 65_552, 200_003])('%d of the largest codes overflow nothing', n => {
  const codes = new Uint8Array(n).fill(255)
  expect(sumCodes(codes, 0, n)).toEqual({ total: n * 255, squares: n * 65_025, low: 255, high: 255 })
})

it('a query has the same result if Node was started without WebAssembly', async () => {
  const sandbox = new Sandbox()
  await sandbox.json(['engine', 'seed', '--people', '1', '--days', '3'])
  const selected = ['mean', 'min', 'max', 'sum', 'stddev'].flatMap(name => ['--select', `${name}(heartrate)`])
  const query = ['aggregate', 'query', 'person-001', ...selected, '--group-by', '1d', '--past', '3d', '--output', 'csv']
  const usual = await sandbox.run(query)
  const wrapper = { on: (node: string, args: readonly string[]) => [node, ['--jitless', ...args]] as const }
  const without = await sandbox.run(query, { wrapper })
  expect(usual.stdout.split('\n').length, usual.stderr).toBeGreaterThan(3)
  expect(without.stdout, without.stderr).toBe(usual.stdout)
})
