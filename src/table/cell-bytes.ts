/**
 * Writes a column's cells as text directly into bytes, up to about a thousand rows at a time. Reads by index are unchecked (`as number`),
 * because the loops are hot and stay in range.
 */
import { DAY_MS, formatTimeOfDay } from '../core/time.ts'
import { isValid } from './columns.ts'
import { MOST_DIGITS, TimeDigits, writeAscii, writeFloat, writeInteger } from './digits.ts'
import type { TableColumn } from './table.ts'

/** How a format writes the values that differ between formats. Everything except text is ASCII. */
export interface TextStyle {
  readonly null: string
  /** Quote around times and dates: one character or none. */
  readonly quote: '"' | ''
  readonly text: (text: string) => string
  readonly negativeZero: string
  /** Writes positive or negative infinity. */
  readonly infinite: (value: number) => string
}

/** The cells of several rows, one after the other. */
export interface CellRun {
  readonly bytes: Uint8Array
  /** The offset at which each row's cell ends. */
  readonly ends: Int32Array
}

/**
 * A column that is being written as text. Each kind of cell has its own loop, because a single loop would spend more time calling a writer
 * for each cell than writing digits.
 */
export class ColumnText {
  /** Number of rows that fit into `run`. */
  readonly rows: number
  readonly run: CellRun
  private readonly column: TableColumn
  private readonly style: TextStyle
  private readonly lead: Uint8Array
  private readonly words: readonly Uint8Array[]
  private readonly times = new TimeDigits()

  /** `lead` is written before every cell. */
  constructor(column: TableColumn, style: TextStyle, lead: string) {
    this.column = column
    this.style = style
    this.lead = Buffer.from(lead)
    this.words = column.texts.map(text => Buffer.from(style.text(text)))
    const word = this.words.reduce((most, each) => Math.max(most, each.length), 0)
    const most = this.lead.length + Math.max(word, MOST_DIGITS, style.null.length)
    this.rows = Math.max(1, Math.min(RUN_ROWS, Math.floor(RUN_BYTES / most)))
    this.run = { bytes: new Uint8Array(this.rows * most), ends: new Int32Array(this.rows) }
  }

  /** Fills `run` with the rows from `from` (inclusive) to `to` (exclusive). */
  write(from: number, to: number): void {
    const { kind } = this.column
    if (kind === 'text') this.writeTexts(from, to)
    else if (kind === 'bool') this.writeBooleans(from, to)
    else if (kind === 'float') this.writeFloats(from, to)
    else if (kind === 'time') this.writeTimes(from, to)
    else if (kind === 'time_of_day') this.writeTimesOfDay(from, to)
    else if (kind === 'date') this.writeDates(from, to)
    else if (kind === 'int64') this.writeWide(from, to)
    else this.writeNarrow(from, to)
  }

  private writeTexts(from: number, to: number): void {
    const { column, lead, words, style } = this
    const { bytes, ends } = this.run
    const codes = column.values as Int32Array
    let at = 0
    for (let row = from; row < to; row++) {
      at = copy(bytes, at, lead)
      if (column.valid === null || isValid(column, row)) at = copy(bytes, at, words[codes[row] as number] as Uint8Array)
      else at = writeAscii(bytes, at, style.null)
      ends[row - from] = at
    }
  }

  private writeBooleans(from: number, to: number): void {
    const { column, lead, style } = this
    const { bytes, ends } = this.run
    const bits = column.values as Uint8Array
    let at = 0
    for (let row = from; row < to; row++) {
      at = copy(bytes, at, lead)
      const isTrue = ((bits[row >> 3] as number) & (1 << (row & 7))) !== 0
      at = writeAscii(bytes, at, isValid(column, row) ? (isTrue ? 'true' : 'false') : style.null)
      ends[row - from] = at
    }
  }

  private writeFloats(from: number, to: number): void {
    const { column, lead, style } = this
    const { bytes, ends } = this.run
    const values = column.values as Float64Array
    let at = 0
    for (let row = from; row < to; row++) {
      at = copy(bytes, at, lead)
      const value = values[row] as number
      if (column.valid !== null && !isValid(column, row)) at = writeAscii(bytes, at, style.null)
      else if (value === 0 && Object.is(value, -0)) at = writeAscii(bytes, at, style.negativeZero)
      else if (value - value !== 0) at = writeAscii(bytes, at, style.infinite(value))
      else at = writeFloat(bytes, at, values, row)
      ends[row - from] = at
    }
  }

  private writeTimes(from: number, to: number): void {
    const { column, lead, style, times } = this
    const { bytes, ends } = this.run
    const halves = toHalves(column.values as BigInt64Array)
    let at = 0
    for (let row = from; row < to; row++) {
      at = copy(bytes, at, lead)
      if (column.valid !== null && !isValid(column, row)) at = writeAscii(bytes, at, style.null)
      else {
        at = writeAscii(bytes, at, style.quote)
        at = times.writeTime(bytes, at, wide(halves, row) / MICROSECONDS_A_MILLISECOND)
        at = writeAscii(bytes, at, style.quote)
      }
      ends[row - from] = at
    }
  }

  private writeTimesOfDay(from: number, to: number): void {
    const { column, lead, style } = this
    const { bytes, ends } = this.run
    const halves = toHalves(column.values as BigInt64Array)
    let at = 0
    for (let row = from; row < to; row++) {
      at = copy(bytes, at, lead)
      const text = isValid(column, row) ? formatTimeOfDay(wide(halves, row) / MICROSECONDS_A_MILLISECOND) : null
      at = writeAscii(bytes, at, text === null ? style.null : `${style.quote}${text}${style.quote}`)
      ends[row - from] = at
    }
  }

  private writeDates(from: number, to: number): void {
    const { column, lead, style, times } = this
    const { bytes, ends } = this.run
    const days = column.values as Int32Array
    let at = 0
    for (let row = from; row < to; row++) {
      at = copy(bytes, at, lead)
      if (!isValid(column, row)) at = writeAscii(bytes, at, style.null)
      else {
        at = writeAscii(bytes, at, style.quote)
        at = times.writeDate(bytes, at, (days[row] as number) * DAY_MS)
        at = writeAscii(bytes, at, style.quote)
      }
      ends[row - from] = at
    }
  }

  private writeWide(from: number, to: number): void {
    const { column, lead, style } = this
    const { bytes, ends } = this.run
    const halves = toHalves(column.values as BigInt64Array)
    let at = 0
    for (let row = from; row < to; row++) {
      at = copy(bytes, at, lead)
      if (column.valid === null || isValid(column, row)) at = writeInteger(bytes, at, wide(halves, row))
      else at = writeAscii(bytes, at, style.null)
      ends[row - from] = at
    }
  }

  private writeNarrow(from: number, to: number): void {
    const { column, lead, style } = this
    const { bytes, ends } = this.run
    const values = column.values as Int32Array
    let at = 0
    for (let row = from; row < to; row++) {
      at = copy(bytes, at, lead)
      if (column.valid === null || isValid(column, row)) at = writeInteger(bytes, at, values[row] as number)
      else at = writeAscii(bytes, at, style.null)
      ends[row - from] = at
    }
  }
}

const RUN_ROWS = 1024
const RUN_BYTES = 1024 * 1024
/** Length from which a native copy is faster than a loop. */
const LONG = 64
const MICROSECONDS_A_MILLISECOND = 1000

function copy(to: Uint8Array, at: number, bytes: Uint8Array): number {
  if (bytes.length > LONG) to.set(bytes, at)
  else for (let i = 0; i < bytes.length; i++) to[at + i] = bytes[i] as number
  return at + bytes.length
}

/** Views 64-bit integers as 32-bit halves, because BigInts would cost more than all other work. */
function toHalves(values: BigInt64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2)
}

function wide(halves: Int32Array, row: number): number {
  return (halves[2 * row + 1] as number) * 2 ** 32 + ((halves[2 * row] as number) >>> 0)
}
