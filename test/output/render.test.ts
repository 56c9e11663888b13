/** The renderings of an answer. */
import { describe, expect, test } from 'vitest'
import { type OutputFormat, render } from '../../src/output/render.ts'
import { textWidth } from '../../src/output/text-width.ts'
import { factSheet, fields, view } from '../../src/output/view.ts'

interface Row {
  readonly name: string
  readonly count: number | null
  readonly note: string | null
}
const ROWS: readonly Row[] = [
  { name: 'a', count: 1, note: null },
  { name: 'b, "quoted"', count: 22.123456, note: null },
]
const BODY = { rows: ROWS, total: 2 }
const shown = (format: OutputFormat, indent = false) =>
  render(format, BODY, view(ROWS, fields<Row>('name', 'count', 'note')), { indent })

describe('an answer', () => {
  test('in json is the body, unchanged', () => {
    expect(shown('json')).toBe(`${JSON.stringify(BODY)}\n`)
    expect(JSON.parse(shown('json', true))).toEqual(BODY)
  })

  test('in ndjson is a row a line', () => {
    expect(shown('ndjson')).toBe(ROWS.map(row => `${JSON.stringify(row)}\n`).join(''))
  })

  test('in csv has every column, exact numbers and quotes where they are needed', () => {
    expect(shown('csv')).toBe('name,count,note\na,1,\n"b, ""quoted""",22.123456,\n')
  })

  test('as a table has numbers to the right, and no empty column, colour or trailing space', () => {
    expect(shown('table')).toBe(
      ['name           count', '────────────────────', 'a                  1', 'b, "quoted"   22.123', ''].join('\n'),
    )
  })

  test('without rows says so in a table, and is a header in csv', () => {
    const nothing = view([] as Row[], fields<Row>('name'), 'No users.')
    expect(render('table', [], nothing, { indent: false })).toBe('No users.\n')
    expect(render('csv', [], nothing, { indent: false })).toBe('name\n')
    expect(render('ndjson', [], nothing, { indent: false })).toBe('')
  })

  test('cannot send escape sequences to the terminal through a table', () => {
    const sheet = factSheet({ name: 'x\u001b[2J\u009bm' })
    const table = render('table', {}, sheet, { indent: false })
    expect([...table].filter(char => char === '\u001b' || char === '\u009b')).toEqual([])
  })
})

test.each([
  ['steps', 5],
  ['°C é', 4],
  ['e\u0301', 1],
  ['健康', 4],
  ['🏃', 2],
])('%s takes %i columns', (text, columns) => expect(textWidth(text)).toBe(columns))
