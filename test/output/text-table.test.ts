/** Tables for people: shortening, hidden columns, colors and relative times on a terminal, and complete tables in a pipe. */
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { renderTable, type TableScreen, tablePieces } from '../../src/output/text-table.ts'
import { dataView, factSheet, fields, ranked, uncut, type View, view } from '../../src/output/view.ts'

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const row = {
  user_id: ID,
  created_on: '2026-11-20T08:30:00+00:00',
  count: 1234567,
  name: 'a name that is rather long',
  note: 'and a note that is longer than any name ever was',
}
type Row = typeof row
const wide = view([row, { ...row, note: '健康'.repeat(20) }], fields<Row>(...(Object.keys(row) as (keyof Row)[])))
const tableLines = (shown: View<Row>, screen: TableScreen) => renderTable(shown, screen).trimEnd().split('\n')

describe('a table that is wider than the terminal', () => {
  test.each([160, 130, 110, 90, 80, 60, 45])('of %i columns fits, with complete numbers and times', width => {
    const lines = tableLines(wide, { width })
    for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(width)
    expect(lines[2]).toContain('2026-11-20T08:30:00+00:00')
    if (lines[0]?.includes('count')) expect(lines[2]).toContain('1234567')
  })

  test('shortens IDs in the middle before it truncates texts', () => {
    const lines = tableLines(wide, { width: 135 })
    expect(lines[2]).toMatch(/^0f8f…950e /)
    expect(lines[2]).toContain(row.note)
  })

  test('hides the columns of the lowest rank, and lists them', () => {
    const lines = tableLines(ranked(['name', 'created_on'], wide), { width: 64 })
    expect(lines[0]).toMatch(/^user_id +created_on +name$/)
    expect(lines.at(-1)).toBe('Hidden: count and note. Use --wide or --output json to see them.')
    expect(tableLines(ranked(['note'], wide), { width: 50 })[0]).toMatch(/^user_id +note$/)
  })

  test('never truncates a column that identifies the row', () => {
    const lines = tableLines(uncut(wide, 'name'), { width: 90 })
    expect(lines[2]).toContain(row.name)
    expect(lines[2]).not.toContain(row.note)
  })

  test('shows the records one below the other if fewer than two columns fit', () => {
    const text = renderTable(ranked(['created_on', 'count'], wide), { width: 30 })
    expect(text).toContain(`user_id      ${ID}\n`)
    expect(text).toContain(`note         ${row.note}\n\nuser_id`)
    expect(text).not.toMatch(/…|Hidden/)
  })

  test('has everything in a pipe', () => {
    const lines = tableLines(wide, {})
    expect(lines[2]).toBe(`${ID}   2026-11-20T08:30:00+00:00   1234567   ${row.name}   ${row.note}`)
    expect(lines).toHaveLength(4)
  })
})

describe('times', () => {
  const now = Date.parse('2026-11-20T11:45:10Z')
  const times = (instant: string) => {
    const shown = view([{ instant }], { created_at: each => each.instant, start: each => each.instant })
    return renderTable(shown, { now }).split('\n')[2]
  }

  test.each([
    ['2026-11-20T11:45:10+00:00', 'now'],
    ['2026-11-20T11:44:58+00:00', '12 s ago'],
    ['2026-11-20T11:44:10+00:00', '1 min ago'],
    ['2026-11-20T08:30:00+00:00', '3 h ago'],
    ['2026-11-20T08:30:00-02:00', '1 h ago'],
    ['2026-11-18T11:45:11+00:00', '47 h ago'],
    ['2026-11-01T08:30:00+00:00', '19 d ago'],
    ['2026-11-22T11:45:10+00:00', 'in 2 d'],
    ['2026-11-20T11:45:40.500+00:00', 'in 30 s'],
    ['2026-08-01T08:30:00+00:00', '2026-08-01'],
    ['2026-11-19', '2026-11-19'],
  ])('of bookkeeping are relative to now, and data times are absolute: %s', (instant, relative) => {
    expect(times(instant)?.split(/ {2,}/)).toEqual([relative, instant])
  })

  test('are both absolute and relative if a single object is shown', () => {
    const sheet = factSheet({ created_at: row.created_on, start: row.created_on })
    expect(renderTable(sheet, { now })).toContain(
      `created_at   ${row.created_on} (3 h ago)\nstart        ${row.created_on}\n`,
    )
    expect(renderTable(sheet)).not.toContain('ago')
  })

  test('are absolute without a clock, and in data columns of any name', () => {
    expect(tableLines(wide, {})[2]).toContain(row.created_on)
    const data = dataView([row], { created_on: each => each.created_on }, '')
    expect(renderTable(data, { now })).toContain(row.created_on)
  })
})

describe('colors', () => {
  const states = ['connected', 'error', 'pending', 'received.walk_in_test.ordered', 'disabled (gone)', 'something']
  const shown = view(
    states.map(status => ({ status, dead: status === 'error' ? 2 : 0 })),
    fields<{ status: string; dead: number }>('status', 'dead'),
  )

  test('distinguish good states from bad ones, and do not change the widths', () => {
    const plain = renderTable(shown).split('\n')
    const colored = renderTable(shown, { isColored: true }).split('\n')
    const ESC = '\u001b['
    expect(colored.map(stripVTControlCharacters)).toEqual(plain)
    expect(colored[0]).toContain(`${ESC}1mstatus${ESC}22m`)
    expect(colored[2]).toContain(`${ESC}32mconnected${ESC}39m`)
    expect(colored[3]).toContain(`${ESC}31merror${ESC}39m`)
    expect(colored[3]).toContain(`${ESC}31m2${ESC}39m`)
    expect(colored[4]).toContain(`${ESC}33mpending${ESC}39m`)
    expect(colored[5]).toContain(`${ESC}33mreceived.walk_in_test.ordered${ESC}39m`)
    expect(colored[6]).toContain(`${ESC}31mdisabled (gone)${ESC}39m`)
    expect(colored[7]).not.toContain(ESC)
  })

  test('come from svc alone, and never from the data', () => {
    const evil = view([{ status: '\u001b[31merror\u009b0m' }], fields<{ status: string }>('status'))
    expect(renderTable(evil, { isColored: true }).split('\n')[2]).toBe('\uFFFD[31merror\uFFFD0m')
  })
})

describe('a long table', () => {
  interface Point {
    readonly at: string
    readonly value: number
    readonly note?: string
  }
  const columns = dataView<Point>([], fields<Point>('at', 'value', 'note'), 'None.')
  let read = 0
  async function* blocks(extra: (i: number) => Partial<Point> = () => ({})) {
    for (let block = 0; block < 100; block++) {
      read = block + 1
      yield Array.from({ length: 100 }, (_, i): Point => {
        const at = block * 100 + i
        return { at: `t${at}`, value: at, ...extra(at) }
      })
    }
  }
  const textOf = async (pieces: AsyncIterable<string>) => {
    let text = ''
    for await (const piece of pieces) text += piece
    return text
  }

  test('is drawn while it is read: the first thousand rows determine the columns', async () => {
    const pieces = tablePieces(blocks(), columns)
    const first = (await pieces.next()).value as string
    expect(read).toBe(10)
    expect(first.split('\n').slice(0, 3)).toEqual(['at     value', '────────────', 't0         0'])
    await pieces.return(undefined)
    expect(read).toBe(10)
  })

  test('shifts the rest of a line for a longer cell, and truncates texts on a terminal', async () => {
    const late = (at: number) => ({ note: at === 9_000 ? 'x'.repeat(50) : 'x' })
    const piped = (await textOf(tablePieces(blocks(late), columns))).split('\n')
    expect(piped[1_002]).toBe('t1000    1000   x')
    expect(piped[9_002]).toBe(`t9000    9000   ${'x'.repeat(50)}`)
    const fitted = (await textOf(tablePieces(blocks(late), columns, { width: 40 }))).split('\n')
    expect(fitted[1_002]).toBe('t1000    1000   x')
    expect(fitted[9_002]).toBe('t90…    9000   xxx…')
  })

  test('gets a new header when a previously empty column has a value', async () => {
    const late = (at: number) => (at === 5_500 ? { note: 'here' } : {})
    const text = await textOf(tablePieces(blocks(late), columns))
    expect(text.match(/^at .*$/gm)).toEqual(['at     value', 'at      value   note'])
    expect(text).toMatch(/\n\nat {6}value {3}note\n─+\nt5000 {4}5000\n/)
    expect(text).toContain('t5500    5500   here\n')
    expect(text.match(/^t\d+/gm)).toHaveLength(10_000)
  })

  test('without rows says that there are none', async () => {
    expect(await textOf(tablePieces((async function* () {})(), columns))).toBe('None.\n')
  })
})
