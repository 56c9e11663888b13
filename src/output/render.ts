/** Renders an answer as json, ndjson, csv or a table on a terminal: the one place that does. */
import { csvRecord } from '../table/csv.ts'
import type { Cell, View } from './view.ts'

export const OUTPUT_FORMATS = ['table', 'json', 'ndjson', 'csv'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** The text of an answer, its last line ended. `json` is the body, unchanged; indented for a person to read when asked. */
export async function render<Row>(
  format: OutputFormat,
  body: unknown,
  view: View<Row>,
  options: { readonly indent: boolean },
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(body, null, options.indent ? 2 : undefined)}\n`
    case 'ndjson':
      return view.rows.map(row => `${JSON.stringify(row)}\n`).join('')
    case 'csv':
      return renderCsv(view)
    case 'table':
      return renderTable(view)
  }
}

/** A header line and a line a row; every number exact. */
export function renderCsv<Row>(view: View<Row>): string {
  const lines = view.rows.map(row => csvRecord(view.columns.map(column => column.value(row))))
  return [csvRecord(view.columns.map(column => column.name)), ...lines].join('')
}

const GAP = '   '
/** No frame: only the space between columns, so that a table reads well and copies well. */
const FRAME = {
  ...Object.fromEntries(
    ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'].map(part => [
      part,
      '',
    ]),
  ),
  ...Object.fromEntries(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'].map(part => [part, ''])),
  middle: GAP,
}
/** cli-table3 lays out a table in time that grows with the square of its rows: it gets them in blocks of one width. */
const BLOCK_ROWS = 25

/** Numbers to the right, a rule under the head; a column that is empty in every row is left out. */
async function renderTable<Row>(view: View<Row>): Promise<string> {
  if (view.rows.length === 0) return `${view.empty ?? 'Nothing.'}\n`
  const [{ default: Table }, { default: stringWidth }] = await Promise.all([
    import('cli-table3'),
    import('string-width'),
  ])
  const widthOf = (text: string): number => (PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text))
  const columns = view.columns.filter(column => view.rows.some(row => !isEmpty(column.value(row))))
  const rows = view.rows.map(row => columns.map(column => column.value(row)))
  const colAligns = columns.map((_, i) =>
    rows.every(row => isNumber(row[i])) ? ('right' as const) : ('left' as const),
  )
  const lines = [columns.map(column => column.name), ...rows.map(row => row.map(tableCell))]
  const colWidths = columns.map((_, i) => lines.reduce((most, line) => Math.max(most, widthOf(line[i] as string)), 1))
  // it colours into pipes unless head and border are told to have no colours
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true }
  const blocks: string[] = []
  for (let from = 0; from < lines.length; from += BLOCK_ROWS) {
    const table = new Table({ chars: FRAME, style, colWidths, colAligns })
    table.push(...lines.slice(from, from + BLOCK_ROWS))
    blocks.push(table.toString())
  }
  const [head, ...body] = blocks
    .join('\n')
    .split('\n')
    .map(line => line.trimEnd())
  const rule = '─'.repeat(colWidths.reduce((sum, width) => sum + width, GAP.length * (colWidths.length - 1)))
  return `${[head, rule, ...body].join('\n')}\n`
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

function isNumber(cell: Cell): boolean {
  return typeof cell === 'number' || cell === null || cell === undefined
}

function isEmpty(cell: Cell): boolean {
  return cell === null || cell === undefined || cell === ''
}

/** Control characters (a terminal's escape sequences among them) that came with the data are shown, not obeyed. */
function tableCell(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  const text = typeof cell === 'number' ? numberText(cell) : String(cell)
  return [...text].map(char => (isControl(char) ? '\uFFFD' : char)).join('')
}

function isControl(char: string): boolean {
  const code = char.codePointAt(0) as number
  return code < 0x20 || (code >= 0x7f && code < 0xa0)
}

/** Up to three decimals: enough to read; the other renderings are exact. */
function numberText(value: number): string {
  return Number.isInteger(value) || !Number.isFinite(value) ? String(value) : String(Number(value.toFixed(3)))
}
