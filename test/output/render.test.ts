/** How responses are rendered. */
import { describe, expect, test } from 'vitest'
import { type OutputFormat, render } from '../../src/output/render.ts'
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

describe('a response', () => {
  test('in json is the unchanged body', async () => {
    expect(await shown('json')).toBe(`${JSON.stringify(BODY)}\n`)
    expect(JSON.parse(await shown('json', true))).toEqual(BODY)
  })

  test('in ndjson is one row on each line', async () => {
    expect(await shown('ndjson')).toBe(ROWS.map(row => `${JSON.stringify(row)}\n`).join(''))
  })

  test('in csv has every column, exact numbers, and quotes where needed', async () => {
    expect(await shown('csv')).toBe('name,count,note\na,1,\n"b, ""quoted""",22.123456,\n')
  })

  test('as a table has right-aligned numbers, and no empty columns, colors or trailing spaces', async () => {
    expect(await shown('table')).toBe(
      ['name           count', '────────────────────', 'a                  1', 'b, "quoted"   22.123', ''].join('\n'),
    )
  })

  test('without rows is a message instead of a table, and only a header in csv', async () => {
    const nothing = view([] as Row[], fields<Row>('name'), 'No users.')
    expect(await render('table', [], nothing, { indent: false })).toBe('No users.\n')
    expect(await render('csv', [], nothing, { indent: false })).toBe('name\n')
    expect(await render('ndjson', [], nothing, { indent: false })).toBe('')
    expect(await render('csv', [], view([] as Row[], {}, ''), { indent: false })).toBe('')
  })

  test('cannot send escape sequences to the terminal through a table', async () => {
    const sheet = factSheet({ name: 'x\u001b[2J\u009bm' })
    const table = await render('table', {}, sheet, { indent: false })
    expect([...table].filter(char => char === '\u001b' || char === '\u009b')).toEqual([])
  })
})

test('a table is aligned for any texts and any length', async () => {
  const texts = ['steps', '°C é', 'e\u0301', '健康', '🏃']
  const rows = Array.from({ length: 60 }, (_, i) => ({ text: texts[i % texts.length] as string, n: i }))
  const lines = (
    await render('table', rows, view(rows, fields<(typeof rows)[number]>('text', 'n')), { indent: false })
  ).split('\n')
  expect(lines.length).toBe(60 + 2 + 1)
  expect(lines.slice(2, 7)).toEqual(['steps    0', '°C é     1', 'e\u0301        2', '健康     3', '🏃       4'])
  expect(lines[61]).toBe('🏃      59')
})

describe('a single object', () => {
  const body = { now: '2026-11-20T08:30:00Z', offset: 1.23456, zone: null, team: { name: 'local' } }
  const sheet = factSheet({ now: body.now, offset: body.offset, zone: body.zone, team: body.team.name })
  const shownAs = (format: OutputFormat, width?: number) =>
    render(format, body, sheet, { indent: false, screen: { width } })

  test('in ndjson is its body on one line', async () => {
    expect(await shownAs('ndjson')).toBe(`${JSON.stringify(body)}\n`)
  })

  test('in csv is a header and one row, including empty fields', async () => {
    expect(await shownAs('csv')).toBe('now,offset,zone,team\n2026-11-20T08:30:00Z,1.23456,,local\n')
  })

  test('on a terminal has one line for each non-empty field, complete at any width', async () => {
    const lines = (await shownAs('table', 10)).trimEnd().split('\n')
    expect(lines[1]).toBe('─'.repeat(10))
    expect(lines.filter((_, i) => i !== 1)).toEqual([
      'field    value',
      'now      2026-11-20T08:30:00Z',
      'offset   1.235',
      'team     local',
    ])
  })
})
