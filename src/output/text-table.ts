/** A table for a terminal: aligned, fitted to the terminal's width, and a record below the other where it cannot be. */
import Table from 'cli-table3'
import stringWidth from 'string-width'
import { printable } from './printable.ts'
import { type Cell, type Grid, isEmpty, type View } from './view.ts'

const WIDE_GAP = 3
/** Between the columns of a table that hardly fits. */
const NARROW_GAP = 2
/** A column is not shortened to less: nobody could tell its texts apart. */
const LEAST_WIDTH = 5

/** No frame: only the space between columns, so that a table reads well and copies well. */
const NO_FRAME = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map(part => [part, '']),
)
// it colours into pipes unless head and border are told to have no colours
const STYLE = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true }

/**
 * Numbers to the right, a rule under the head; a column that is empty in every row is left out. Where `width` is less than the
 * table needs, texts are cut with `…`, but never numbers, ids or times.
 */
export function renderTable<Row>(view: View<Row>, width?: number): string {
  if (view.sheet) return draw(measured(view.sheet), WIDE_GAP, width)
  if (view.rows.length === 0) return `${view.empty ?? 'Nothing.'}\n`
  const columns = view.columns.filter(column => view.rows.some(row => !isEmpty(column.value(row))))
  const table = measured({
    head: columns.map(column => column.name),
    rows: view.rows.map(row => columns.map(column => column.value(row))),
    whole: columns.map(column => column.isWhole === true),
  })
  if (width === undefined || totalWidth(table.widths, WIDE_GAP) <= width) return draw(table, WIDE_GAP)
  for (const gap of [WIDE_GAP, NARROW_GAP]) {
    const widths = fitted(table, width, gap)
    if (widths) return draw({ ...table, widths }, gap)
  }
  return records(table)
}

interface TextTable {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly widths: readonly number[]
  readonly aligns: readonly ('left' | 'right')[]
  /** Whether the column is never cut. */
  readonly isWhole: readonly boolean[]
}

function measured(grid: Grid): TextTable {
  const rows = grid.rows.map(row => row.map(cellText))
  const isNumeric = grid.head.map((_, i) => grid.rows.every(row => typeof row[i] === 'number' || isEmpty(row[i])))
  return {
    head: grid.head,
    rows,
    widths: grid.head.map((name, i) =>
      rows.reduce((most, row) => Math.max(most, widthOf(row[i] as string)), widthOf(name)),
    ),
    aligns: isNumeric.map(numeric => (numeric ? 'right' : 'left')),
    isWhole: grid.head.map(
      (name, i) =>
        grid.whole?.[i] === true ||
        isNumeric[i] === true ||
        ID_NAME.test(name) ||
        rows.every(row => isTime(row[i] as string)),
    ),
  }
}

const ID_NAME = /(^|_)id$/
const TIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?$/

function isTime(text: string): boolean {
  return text === '' || TIME.test(text)
}

function totalWidth(widths: readonly number[], gap: number): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1))
}

/** The widths with the widest texts made as wide as the next ones, until all fits; undefined when it cannot. */
function fitted({ widths, isWhole }: TextTable, width: number, gap: number): readonly number[] | undefined {
  const excess = (most: number) => totalWidth(cut(most), gap) - width
  const cut = (most: number) => widths.map((each, i) => (isWhole[i] ? each : Math.min(each, most)))
  let most = Math.max(...widths)
  while (most > LEAST_WIDTH && excess(most) > 0) most -= 1
  if (excess(most) > 0) return undefined
  // what the last step gave too much goes back to the columns that were cut
  let spare = -excess(most)
  return cut(most).map((each, i) => (each < (widths[i] as number) && spare > 0 ? each + Math.sign(spare--) : each))
}

/** A value that the terminal will wrap is whole; the rule need not be as long. */
function draw(table: TextTable, gap: number, width = Number.POSITIVE_INFINITY): string {
  const [head, ...body] = [table.head, ...table.rows].map(line => lineOf(line, table, gap).trimEnd())
  return `${[head, '─'.repeat(Math.min(totalWidth(table.widths, gap), width)), ...body].join('\n')}\n`
}

/** Plain texts that fit are padded: cli-table3 would say the same, a thousand times slower. It cuts, and knows wide characters. */
function lineOf(line: readonly string[], { widths, aligns }: TextTable, gap: number): string {
  const middle = ' '.repeat(gap)
  const isPlain = line.every((text, i) => PRINTABLE_ASCII.test(text) && text.length <= (widths[i] as number))
  if (isPlain) {
    const padded = (text: string, i: number) =>
      aligns[i] === 'right' ? text.padStart(widths[i] as number) : text.padEnd(widths[i] as number)
    return line.map(padded).join(middle)
  }
  const drawn = new Table({
    chars: { ...NO_FRAME, middle },
    style: STYLE,
    colWidths: [...widths],
    colAligns: [...aligns],
  })
  drawn.push([...line])
  return drawn.toString()
}

/** Each row as a block of its fields, without the empty ones: the terminal wraps a long value and cuts none. */
function records(table: TextTable): string {
  const nameWidth = Math.max(...table.head.map(widthOf))
  const block = (row: readonly string[]) =>
    table.head
      .flatMap((name, i) => (row[i] === '' ? [] : [`${name.padEnd(nameWidth)}${' '.repeat(WIDE_GAP)}${row[i]}`]))
      .join('\n')
  return `${table.rows.map(block).join('\n\n')}\n`
}

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

function widthOf(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text)
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'number') return numberText(cell)
  const text = String(cell)
  return PRINTABLE_ASCII.test(text) ? text : printable(text)
}

/** Up to three decimals: enough to read; the other renderings are exact. */
function numberText(value: number): string {
  return Number.isInteger(value) || !Number.isFinite(value) ? String(value) : String(Number(value.toFixed(3)))
}
