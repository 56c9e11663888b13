/** Decides which of a table's columns a terminal shows, and how wide they are. */

/** Where a column may be shortened: IDs in the middle, texts at the end, numbers and times not at all. */
export type Cut = 'middle' | 'end' | 'never'

/** A column, measured by its first rows. */
export interface Measured {
  readonly name: string
  readonly nameWidth: number
  /** Width of the widest cell or of the name, whichever is larger. */
  readonly width: number
  readonly cut: Cut
  /** Width of the widest cell if its IDs are shortened. */
  readonly shortWidth: number
  /** Columns with the highest rank are hidden first. */
  readonly rank: number
  /** Whether this is the most informative column, for which other columns make room. */
  readonly isTelling: boolean
  /** Whether to hide the column before texts become very short. */
  readonly isExtra: boolean
}

export interface Layout {
  /** Visible columns from left to right, as positions in the given list. */
  readonly shown: readonly number[]
  /** Width of each visible column. */
  readonly widths: readonly number[]
  readonly gap: number
  /** Whether cells are shortened. */
  readonly isNarrowed: boolean
  /** Names of the hidden columns. */
  readonly hidden: readonly string[]
}

const WIDE_GAP = 3
/** Gap between columns in a table that barely fits. */
const NARROW_GAP = 2
/** Width of `a1b2…9f0e`. */
export const SHORT_ID_WIDTH = 9
/** Minimum width of shortened text, below which values could not be distinguished. */
const LEAST_TEXT_WIDTH = 14
/** Width that a text column gets before less important columns get any. */
const FAIR_TEXT_WIDTH = 24
/** Width that a text column with IDs gets before less important columns get any. */
const FAIR_IDS_WIDTH = 40
/** Minimum fraction of the line for an informative column. It leaves room for the most important other columns. */
const TELLING_SHARE = 0.4
/** Minimum number of columns in a table. With fewer columns, a list of records is more useful. */
const LEAST_COLUMNS = 2

/**
 * Returns a layout that fits `width`: first shortens IDs, then texts, and then hides columns. Returns undefined if fewer than two columns
 * fit. Without a width, nothing is shortened or hidden.
 */
export function chooseLayout(columns: readonly Measured[], width?: number): Layout | undefined {
  const all = columns.map((_, at) => at)
  const natural = columns.map(column => column.width)
  if (width === undefined || total(natural, WIDE_GAP) <= width) {
    return { shown: all, widths: natural, gap: WIDE_GAP, isNarrowed: false, hidden: [] }
  }
  const tight = columns.map(column => leastWidth(column, width, LEAST_TEXT_WIDTH))
  const fair = columns.map(column => {
    const hasIds = column.shortWidth < column.width
    return leastWidth(column, width, hasIds ? Math.min(FAIR_IDS_WIDTH, column.shortWidth) : FAIR_TEXT_WIDTH)
  })
  const byRank = [...all].sort((a, b) => rankAt(columns, a) - rankAt(columns, b))
  for (let count = columns.length; count >= Math.min(LEAST_COLUMNS, columns.length); count--) {
    const kept = byRank.slice(0, count)
    const shown = all.filter(at => kept.includes(at))
    const least = pick(shown.some(at => columns[at]?.isExtra) ? fair : tight, shown)
    if (total(least, NARROW_GAP) > width) continue
    const hidden = all.filter(at => !kept.includes(at)).map(at => columns[at]?.name ?? '')
    const whole = pick(natural, shown)
    if (total(whole, WIDE_GAP) <= width) return { shown, widths: whole, gap: WIDE_GAP, isNarrowed: false, hidden }
    const widths = widened(pick(columns, shown), least, width - NARROW_GAP * (count - 1))
    return { shown, widths, gap: NARROW_GAP, isNarrowed: true, hidden }
  }
  return undefined
}

function leastWidth({ width, nameWidth, cut, isTelling }: Measured, available: number, text: number): number {
  if (cut === 'never') return width
  if (cut === 'middle') return Math.min(width, Math.max(nameWidth, SHORT_ID_WIDTH))
  const least = isTelling ? Math.floor(available * TELLING_SHARE) : text
  return Math.min(width, Math.max(nameWidth, least))
}

/** Gives the remaining space to texts, narrowest first, and then to IDs, most important first. */
function widened(columns: readonly Measured[], least: readonly number[], available: number): readonly number[] {
  const widths = [...least]
  let spare = available - sum(widths)
  const growing = new Set(columns.flatMap(({ cut }, i) => (cut === 'end' ? [i] : [])))
  while (spare > 0 && growing.size > 0) {
    const [at = 0] = [...growing].sort((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0))
    if ((widths[at] ?? 0) >= (columns[at]?.width ?? 0)) growing.delete(at)
    else {
      widths[at] = (widths[at] ?? 0) + 1
      spare -= 1
    }
  }
  // if a text's IDs are shortened in some rows, they are shortened in all rows, and other columns can use the space
  for (const [at, { width, shortWidth }] of columns.entries()) {
    const given = widths[at] ?? 0
    if (given >= width || given <= shortWidth) continue
    widths[at] = shortWidth
    spare += given - shortWidth
  }
  const ids = columns.flatMap(({ cut }, i) => (cut === 'middle' ? [i] : []))
  for (const at of ids.sort((a, b) => rankAt(columns, a) - rankAt(columns, b))) {
    const missing = (columns[at]?.width ?? 0) - (widths[at] ?? 0)
    if (missing > spare) continue
    widths[at] = (widths[at] ?? 0) + missing
    spare -= missing
  }
  return widths
}

function rankAt(columns: readonly Measured[], at: number): number {
  return columns[at]?.rank ?? at
}

function pick<T>(list: readonly T[], positions: readonly number[]): T[] {
  return list.filter((_, at) => positions.includes(at))
}

function total(widths: readonly number[], gap: number): number {
  return sum(widths) + gap * (widths.length - 1)
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width, 0)
}
