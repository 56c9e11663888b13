/** A table for a terminal: aligned and fitted to the terminal's width. If it cannot fit, the records are printed one below the other. */
import Table from 'cli-table3'
import stringWidth from 'string-width'
import { printable } from './printable.ts'
import { type Cell, type Grid, isEmpty, type View } from './view.ts'

const WIDE_GAP = 3
/** Gap between the columns of a table that barely fits. */
const NARROW_GAP = 2
/** Minimum width of a shortened column: below it, its values could not be told apart. */
const LEAST_WIDTH = 5

/** No frame, only space between columns, so that a table is easy to read and to copy. */
const NO_FRAME = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map(part => [part, '']),
)
// cli-table3 colours even into pipes, unless head and border have no colours
const STYLE = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true }

/**
 * Returns a table with numbers aligned right and a rule below the header. A column that is empty in every row is left out. If `width` is
 * too small, text is cut with `…`, but never numbers, ids or times.
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
  /** Whether each column is never cut. */
  readonly isWhole: readonly boolean[]
}

function measured(grid: Grid): TextTable {
  const rows = grid.rows.map(row => row.map(cellText))
  const isNumeric = grid.head.map((_, i) => grid.rows.every(row => typeof row[i] === 'number' || isEmpty(row[i])))
  return {
    head: grid.head,
    rows,
    widths: grid.head.map((name, i) =>
      rows.reduce((most, row) => Math.max(most, widthOf(row[i] ?? '')), widthOf(name)),
    ),
    aligns: isNumeric.map(numeric => (numeric ? 'right' : 'left')),
    isWhole: grid.head.map(
      (name, i) =>
        grid.whole?.[i] === true ||
        isNumeric[i] === true ||
        ID_NAME.test(name) ||
        rows.every(row => isTime(row[i] ?? '')),
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

/** Returns widths that fit, shortening the widest columns first; undefined if it is impossible. */
function fitted({ widths, isWhole }: TextTable, width: number, gap: number): readonly number[] | undefined {
  const excess = (most: number) => totalWidth(cut(most), gap) - width
  const cut = (most: number) => widths.map((each, i) => (isWhole[i] ? each : Math.min(each, most)))
  let most = Math.max(...widths)
  while (most > LEAST_WIDTH && excess(most) > 0) most -= 1
  if (excess(most) > 0) return undefined
  // give back to the shortened columns what the last step took too much
  let spare = -excess(most)
  return cut(most).map((each, i) => (each < (widths[i] ?? 0) && spare > 0 ? each + Math.sign(spare--) : each))
}

/** Draws the table. If a value is wider than the terminal, the terminal wraps it, but the rule stays within `width`. */
function draw(table: TextTable, gap: number, width = Number.POSITIVE_INFINITY): string {
  const [head, ...body] = [table.head, ...table.rows].map(line => lineOf(line, table, gap).trimEnd())
  return `${[head, '─'.repeat(Math.min(totalWidth(table.widths, gap), width)), ...body].join('\n')}\n`
}

/**
 * Draws one line. Plain text that fits is only padded, because cli-table3 gives the same result a thousand times slower. cli-table3 cuts
 * text, and knows wide characters.
 */
function lineOf(line: readonly string[], { widths, aligns }: TextTable, gap: number): string {
  const middle = ' '.repeat(gap)
  const isPlain = line.every((text, i) => PRINTABLE_ASCII.test(text) && text.length <= (widths[i] ?? 0))
  if (isPlain) {
    const padded = (text: string, i: number) =>
      aligns[i] === 'right' ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)
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

/** Draws each row as a block of its non-empty fields. The terminal wraps long values, and none is cut. */
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

/** Prints a number with up to three decimals, which is enough to read; the other formats are exact. */
function numberText(value: number): string {
  return Number.isInteger(value) || !Number.isFinite(value) ? String(value) : String(Number(value.toFixed(3)))
}
