/** The progress bar. */
import { expect, test } from 'vitest'
import { progressBar } from '../../src/output/progress.ts'

function screen(isTTY: boolean, columns?: number) {
  const written: string[] = []
  const write = (text: string) => written.push(text)
  return { isTTY, written, write, ...(columns === undefined ? {} : { columns }) }
}

test('draws on a terminal, at most every 80 ms, and disappears', () => {
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

test('draws a new phase at once, because there may be no chance later', () => {
  const to = screen(true)
  const bar = progressBar('Importing', { quiet: false, screen: to, now: () => 0 })
  bar.update(1, 2, 'a')
  bar.phase('Storing', '5 records')
  expect(to.written.at(-1)).toBe('\r\x1b[2KStoring 5 records')
})

test('has no bar if the total is unknown', () => {
  const to = screen(true)
  progressBar('Receiving', { quiet: false, screen: to }).update(5, 0, '5 B')
  expect(to.written).toEqual(['\r\x1b[2KReceiving 5 B'])
})

test('stays on one line of a narrow terminal', () => {
  const to = screen(true, 20)
  progressBar('Importing', { quiet: false, screen: to }).update(1, 2, 'many records')
  expect(to.written[0]?.replace('\r\x1b[2K', '')).toHaveLength(19)
})

test.each([
  ['without a terminal', false, false],
  ['under --quiet', true, true],
])('draws nothing %s', (_, isTTY, quiet) => {
  const to = screen(isTTY)
  const bar = progressBar('Importing', { quiet, screen: to })
  bar.update(1, 2, '')
  bar.phase('Storing')
  bar.end()
  expect(to.written).toEqual([])
})
