/** A chart in a terminal: one panel of braille dots per source, stacked above a shared time axis. */
import { present } from '../core/present.ts'
import { BrailleCanvas } from './braille-canvas.ts'
import { cutText } from './cell-text.ts'
import { type Chart, type ChartSeries, chartRange, chartTitle, describeSeries, formatPeriod } from './chart.ts'
import { columnAt, type TimeColumns, traceBars, traceLine } from './chart-columns.ts'
import { type TimeTick, timeTicks, type ValueScale, valueScale } from './chart-scale.ts'
import { printable } from './printable.ts'

export interface TerminalSize {
  /** Undefined if the output is not a terminal. */
  readonly width: number | undefined
  /** Height of the terminal in rows; undefined if the output is not a terminal. */
  readonly height?: number | undefined
  /** Whether each source has its own color. */
  readonly color: boolean
}

const LEAST_WIDTH = 24
/** Width in columns if there is no terminal. */
const USUAL_WIDTH = 80
const LEAST_ROWS = 4
const MOST_ROWS = 16
/** Rows per panel, by number of panels, if the terminal's height is unknown. */
const USUAL_ROWS = [12, 8, 6]
/** Number of lines for the title, the time axis with two lines of labels, and the shell's prompt. */
const OTHER_LINES = 6
/** Cyan, magenta, yellow, green, blue, red. */
const COLORS = [36, 35, 33, 32, 34, 31]
/** Columns that a time label needs, including the space before the next label. */
const LABEL_ROOM = 12

/** Returns the chart as text that ends with a newline. No line is wider than the given width (at least 24 columns). */
export function brailleChart(chart: Chart, size: TerminalSize): string {
  if (chart.series.length === 0) return 'No samples to show.\n'
  const width = Math.max(LEAST_WIDTH, size.width ?? USUAL_WIDTH)
  const range = chartRange(chart)
  const rows = panelRows(chart.series.length, size.height)
  const scale = valueScale(range.min, range.max, Math.max(2, Math.floor(rows / 2)))
  const labelWidth = Math.max(...scale.ticks.map(({ label }) => label.length))
  const plotWidth = width - labelWidth - 2
  const columns: TimeColumns = { from: range.from, to: range.to, count: plotWidth * 2 }
  const panels = chart.series.flatMap((series, i) => {
    const color = size.color ? COLORS[i % COLORS.length] : undefined
    const head = `${printable(series.name)}: ${describeSeries(series, chart.points)}`
    return [
      '',
      painted(cutText(head, width), color),
      ...panel(chart, series, { columns, scale, rows, labelWidth, color }),
    ]
  })
  const ticks = timeTicks(range.from, range.to, Math.max(2, Math.floor(plotWidth / LABEL_ROOM)))
  const axis = timeAxis(ticks, columns, plotWidth).map(line => `${' '.repeat(labelWidth + 1)}${line}`.trimEnd())
  const title = `${chartTitle(chart)}, ${formatPeriod(range, chart.isFloating)}`
  return `${[cutText(title, width), ...panels, ...axis].join('\n')}\n`
}

function panelRows(panels: number, height: number | undefined): number {
  if (height === undefined) return present(USUAL_ROWS[Math.min(panels, USUAL_ROWS.length) - 1], 'a number of rows')
  const room = Math.floor((height - OTHER_LINES) / panels) - 2
  return Math.min(MOST_ROWS, Math.max(LEAST_ROWS, room))
}

interface Panel {
  readonly columns: TimeColumns
  readonly scale: ValueScale
  readonly rows: number
  readonly labelWidth: number
  readonly color: number | undefined
}

function panel(chart: Chart, series: ChartSeries, { columns, scale, rows, labelWidth, color }: Panel): string[] {
  const canvas = new BrailleCanvas(columns.count / 2, rows)
  const yOf = (value: number): number => {
    const share = (scale.to - value) / (scale.to - scale.from)
    return Math.round((Number.isFinite(share) ? share : 0) * (canvas.height - 1))
  }
  if (chart.mark === 'bars') drawBars(canvas, series, columns, yOf)
  else drawLine(canvas, traceLine(series, chart.points, columns), yOf)
  const labels = new Map<number, string>()
  // if a small panel has two labels in one row, the lower one is kept
  for (const { at, label } of [...scale.ticks].reverse()) if (!labels.has(yOf(at) >> 2)) labels.set(yOf(at) >> 2, label)
  return Array.from({ length: rows }, (_, row) => {
    const label = labels.get(row)
    const edge = `${(label ?? '').padStart(labelWidth)} ${label === undefined ? '│' : '┤'}`
    return `${edge}${painted(canvas.row(row), color)}`
  })
}

function drawBars(
  canvas: BrailleCanvas,
  series: ChartSeries,
  columns: TimeColumns,
  yOf: (value: number) => number,
): void {
  const { high, low } = traceBars(series, columns)
  for (const side of [high, low]) {
    side.forEach((value, x) => {
      if (!Number.isNaN(value)) canvas.column(x, yOf(0), yOf(value))
    })
  }
}

function drawLine(canvas: BrailleCanvas, line: ReturnType<typeof traceLine>, yOf: (value: number) => number): void {
  for (const piece of line) {
    piece.forEach((each, i) => {
      const before = piece[i - 1]
      if (before) canvas.line(before.column, yOf(before.last), each.column, yOf(each.first))
      canvas.column(each.column, yOf(each.min), yOf(each.max))
    })
  }
}

/** Returns the axis lines: the ticks, their labels, and below them the context that the labels omit. */
function timeAxis(ticks: readonly TimeTick[], columns: TimeColumns, width: number): string[] {
  const axis = ['└', ...'─'.repeat(width)]
  const labels: string[] = []
  const contexts: string[] = []
  for (const { at, label, context } of ticks) {
    const x = 1 + (columnAt(columns, at) >> 1)
    axis[x] = '┬'
    write(labels, x, label, width)
    if (context !== null) write(contexts, x, context, width)
  }
  return [axis.join(''), lineText(labels), lineText(contexts)].filter(line => line !== '')
}

/** Writes text centered below its tick and within the width. Omits text that would overlap other text. */
function write(line: string[], x: number, text: string, width: number): void {
  const from = Math.min(Math.max(0, x - (text.length >> 1)), width + 1 - text.length)
  if (from < 0 || (line.length > 0 && from <= line.length)) return
  for (let i = 0; i < text.length; i++) line[from + i] = text.charAt(i)
}

function lineText(line: readonly string[]): string {
  return Array.from(line, char => char ?? ' ').join('')
}

function painted(text: string, color: number | undefined): string {
  return color === undefined || text === '' ? text : `\x1b[${color}m${text}\x1b[39m`
}
