/** A table for people, aligned and fitted to the terminal's width. If too few columns fit, prints the records one below the other. */
import Table from 'cli-table3'
import { listText } from '../core/text.ts'
import type { EpochMs } from '../core/time.ts'
import {
  cellText,
  isLongId,
  isPlain,
  isTime,
  shortenedId,
  shortenedText,
  textWidth,
  timeText,
  withShortIds,
} from './cell-text.ts'
import { type Cut, chooseLayout, type Layout, type Measured } from './layout.ts'
import { chooseTone, isBookkeeping } from './meaning.ts'
import { INSTANTS, relativeTime } from './relative-time.ts'
import { type Paint, painter } from './tone.ts'
import { type Cell, type Column, isEmpty, type Sheet, type View } from './view.ts'
import { wrapped } from './wrap.ts'

/** The screen that shows a table. If it has no width, as in a pipe, nothing is shortened and no column is hidden. */
export interface TableScreen {
  readonly width?: number | undefined
  readonly isColored?: boolean | undefined
  /** The current time, for relative times. If absent, times are absolute. */
  readonly now?: EpochMs | undefined
}

/** Number of rows that determine a table's columns and their widths. */
const MEASURED_ROWS = 1_000
const RECORD_GAP = 3

/** Table characters without a frame and with only spaces between columns, so that a table is easy to read and copy. */
export const NO_FRAME = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map(part => [part, '']),
)
// cli-table3 writes colors even to pipes, unless head and border have none
export const TABLE_STYLE = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true }

/** Returns the whole table. Columns that are empty in every row are omitted. */
export function renderTable<Row>(view: View<Row>, screen: TableScreen = {}): string {
  if (view.sheet) return renderSheet(view.sheet, screen)
  if (view.rows.length === 0) return `${view.empty ?? 'Nothing.'}\n`
  const table = new TextTable(view.columns, view.rows, screen)
  return table.head() + view.rows.map((row, i) => table.line(row, i === 0)).join('') + table.foot()
}

/**
 * Yields a table of any length, keeping about a thousand rows in memory, which determine the columns. Later cells may be wider; on a
 * terminal, texts are then cut, and other cells shift the rest of their line. When a column that was empty so far has a value, a new header
 * follows.
 */
export async function* tablePieces<Row>(
  blocks: AsyncIterable<readonly Row[]>,
  { columns, empty }: Pick<View<Row>, 'columns' | 'empty'>,
  screen: TableScreen = {},
): AsyncGenerator<string> {
  let table: TextTable<Row> | undefined
  let isFirst = true
  for await (const rows of gathered(blocks, MEASURED_ROWS)) {
    let text = ''
    if (!table?.hasRoomFor(rows)) {
      const end = table === undefined ? '' : `${table.foot()}\n`
      table = new TextTable(columns, rows, screen, table?.columns)
      text = end + table.head()
      isFirst = true
    }
    for (const row of rows) {
      text += table.line(row, isFirst)
      isFirst = false
    }
    yield text
  }
  yield table?.foot() ?? `${empty ?? 'Nothing.'}\n`
}

/** Yields blocks of at least `least` rows; the last one may be shorter. */
async function* gathered<Row>(blocks: AsyncIterable<readonly Row[]>, least: number): AsyncGenerator<readonly Row[]> {
  let waiting: Row[] = []
  for await (const rows of blocks) {
    for (const row of rows) waiting.push(row)
    if (waiting.length < least) continue
    yield waiting
    waiting = []
  }
  if (waiting.length > 0) yield waiting
}

/** Draws one line for each field. On a terminal, bookkeeping times are shown both absolute and relative. */
function renderSheet({ head, rows }: Sheet, screen: TableScreen): string {
  const columns = head.map((name, i): Column<readonly Cell[]> => {
    if (i !== 1) return { name, value: row => row[i] }
    return {
      name,
      value: ([field, value]) => withRelativeTime(String(field), value, screen.now),
      tone: ([field, value]) => chooseTone(String(field), value),
    }
  })
  // a value that is wider than the terminal wraps, but the rule must not
  const table = new TextTable(columns, rows, { ...screen, width: undefined })
  return table.head(screen.width) + rows.map(row => table.line(row, false)).join('')
}

function withRelativeTime(field: string, value: Cell, now: EpochMs | undefined): Cell {
  if (now === undefined || typeof value !== 'string' || !isBookkeeping(field)) return value
  return value.replace(INSTANTS, instant => {
    const relative = relativeTime(instant, now)
    return relative === undefined || instant.startsWith(relative) ? instant : `${instant} (${relative})`
  })
}

function maxWidth(texts: readonly string[], least: number): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), least)
}

/** Draws a table's rows, using the columns chosen for its first rows. */
class TextTable<Row> {
  readonly columns: readonly Column<Row>[]
  private readonly left: readonly Column<Row>[]
  private readonly measured: readonly (Measured & { readonly isNumeric: boolean })[]
  private readonly layout: Layout | undefined
  private readonly screen: TableScreen
  private readonly paint: Paint

  /** The previous table's columns are kept, even if they are empty now. */
  constructor(
    columns: readonly Column<Row>[],
    rows: readonly Row[],
    screen: TableScreen,
    before: readonly Column<Row>[] = [],
  ) {
    this.screen = screen
    this.paint = painter(screen.isColored === true)
    const isUsed = (column: Column<Row>) => before.includes(column) || rows.some(row => !isEmpty(column.value(row)))
    this.columns = columns.filter(isUsed)
    this.left = columns.filter(column => !this.columns.includes(column))
    this.measured = this.columns.map((column, i) => this.measure(column, rows, i))
    this.layout = chooseLayout(this.measured, screen.width)
  }

  /** Returns whether the table contains every column that has a value in these rows. */
  hasRoomFor(rows: readonly Row[]): boolean {
    return !this.left.some(column => rows.some(row => !isEmpty(column.value(row))))
  }

  /** Returns the column names and a rule. `most` limits the rule. */
  head(most = Number.POSITIVE_INFINITY): string {
    if (!this.layout) return ''
    const { shown, widths, gap } = this.layout
    const names = shown.map(at => this.paint('strong', this.measured[at]?.name ?? ''))
    const rule = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1))
    return `${this.drawn(names)}\n${this.paint('faint', '─'.repeat(Math.min(rule, most)))}\n`
  }

  /** Returns a row as a line, or as a block of its non-empty fields if the table does not fit. */
  line(row: Row, isFirst: boolean): string {
    if (!this.layout) return (isFirst ? '' : '\n') + this.record(row)
    const { shown, widths } = this.layout
    const whole = shown.map(at => this.text(at, row))
    const isCut = this.screen.width !== undefined && !this.hasSpaceFor(whole, this.screen.width)
    const texts = shown.map((at, i) => {
      const text = whole[i] ?? ''
      return this.painted(at, row, isCut ? this.cut(at, text, widths[i] ?? 0) : text)
    })
    return `${this.drawn(texts)}\n`
  }

  /** Returns a line about hidden columns; empty if there are none. */
  foot(): string {
    const hidden = this.layout?.hidden ?? []
    if (hidden.length === 0) return ''
    const names = listText(hidden)
    const text = `Hidden: ${names}. Use --wide or --output json to see ${hidden.length === 1 ? 'it' : 'them'}.`
    const lines = wrapped(text, this.screen.width).split('\n')
    return lines.map(line => `${this.paint('faint', line)}\n`).join('')
  }

  private measure(column: Column<Row>, rows: readonly Row[], i: number): Measured & { readonly isNumeric: boolean } {
    const isNumeric = rows.every(row => typeof column.value(row) === 'number' || isEmpty(column.value(row)))
    const texts = rows.map(row => this.text(i, row)).filter(text => text !== '')
    const { title: name = column.name } = column
    const nameWidth = textWidth(name)
    return {
      name,
      nameWidth,
      width: maxWidth(texts, nameWidth),
      shortWidth: maxWidth(texts.map(withShortIds), nameWidth),
      cut: this.measureCut(column, isNumeric, texts),
      rank: column.rank ?? i,
      isTelling: (column.rank ?? i) === 0,
      isExtra: column.isExtra === true,
      isNumeric,
    }
  }

  private measureCut(column: Column<Row>, isNumeric: boolean, texts: readonly string[]): Cut {
    if (isNumeric || column.isWhole || column.isTime || texts.every(isTime)) return 'never'
    return texts.every(isLongId) ? 'middle' : 'end'
  }

  private text(at: number, row: Row): string {
    const column = this.columns[at]
    return column?.isTime ? timeText(column.value(row), this.screen.now) : cellText(column?.value(row))
  }

  /** Returns whether the line fits in a table that was not narrowed. Its cells may be wider than in the first rows. */
  private hasSpaceFor(texts: readonly string[], width: number): boolean {
    const { widths = [], gap = 0, isNarrowed = true } = this.layout ?? {}
    if (isNarrowed) return false
    return texts.reduce((sum, text, i) => sum + gap + Math.max(widths[i] ?? 0, textWidth(text)), -gap) <= width
  }

  private cut(at: number, text: string, width: number): string {
    if (text.length <= width && isPlain(text)) return text
    const cut = this.measured[at]?.cut
    if (cut === 'end') return shortenedText(text, width)
    return cut === 'middle' && text.length > width ? shortenedId(text) : text
  }

  private painted(at: number, row: Row, text: string): string {
    return this.screen.isColored ? this.paint(this.columns[at]?.tone?.(row), text) : text
  }

  /** Draws one line. Plain text is simply padded, because cli-table3, which handles wide characters, is a thousand times slower. */
  private drawn(texts: readonly string[]): string {
    const { shown, widths, gap } = this.layout ?? { shown: [], widths: [], gap: 0 }
    const isRight = (i: number) => this.measured[shown[i] ?? 0]?.isNumeric === true
    const middle = ' '.repeat(gap)
    if (texts.every(isPlain)) {
      const padded = (text: string, i: number) => text[isRight(i) ? 'padStart' : 'padEnd'](widths[i] ?? 0)
      return texts.map(padded).join(middle).trimEnd()
    }
    const drawn = new Table({
      chars: { ...NO_FRAME, middle },
      style: TABLE_STYLE,
      colWidths: texts.map((text, i) => Math.max(widths[i] ?? 0, textWidth(text))),
      colAligns: texts.map((_, i) => (isRight(i) ? 'right' : 'left')),
    })
    drawn.push([...texts])
    return drawn.toString().trimEnd()
  }

  private record(row: Row): string {
    const nameWidth = Math.max(...this.measured.map(each => each.nameWidth)) + RECORD_GAP
    return this.columns
      .flatMap((_, at) => {
        const text = this.text(at, row)
        const name = this.measured[at]?.name ?? ''
        const label = this.paint('strong', name) + ' '.repeat(nameWidth - textWidth(name))
        return text === '' ? [] : [`${label}${this.painted(at, row, text)}\n`]
      })
      .join('')
  }
}
