/** The progress bar. */
import { expect, test } from 'vitest'
import { progressBar } from '../../src/output/progress.ts'

function screen(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, written, write: (text: string) => written.push(text) }
}

test('draws on a terminal, at most every 80 ms, and goes away', () => {
  const to = screen(true)
  let ms = 0
  const bar = progressBar('Importing', { quiet: false, screen: to, now: () => ms })
  bar.update(10, 100, '1 record')
  ms = 40
  bar.update(20, 100, '2 records')
  ms = 90
  bar.update(50, 100, '5 records')
  bar.update(100, 100, '10 records')
  bar.end()
  bar.end()
  expect(to.written).toHaveLength(4)
  expect(to.written[1]).toContain(' 50 % 5 records')
  expect(to.written[2]).toContain('100 % 10 records')
  expect(to.written[3]).toBe('\r\x1b[2K')
})

test.each([
  ['without a terminal', false, false],
  ['under --quiet', true, true],
])('draws nothing %s', (_, isTTY, quiet) => {
  const to = screen(isTTY)
  const bar = progressBar('Importing', { quiet, screen: to })
  bar.update(1, 2, '')
  bar.end()
  expect(to.written).toEqual([])
})
