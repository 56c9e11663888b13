/**
 * Writes numbers and times as digits directly into bytes. If strings were built first, a large response would take several times as long.
 * Reads by index are unchecked (`as number`), because the loops are hot and stay in range.
 */
import { DAY_MS, formatDate } from '../core/time.ts'

/** Maximum number of bytes in a number or time. */
export const MOST_DIGITS = 32

const ZERO = 0x30
const [MINUS, DOT, COLON, LETTER_T] = [0x2d, 0x2e, 0x3a, 0x54]
/** Powers of ten for fractions of up to three digits, which are written here. Numbers beyond 32 bits are converted to strings first. */
const SCALES = [10, 100, 1000] as const
const MOST = 2 ** 31

/** Writes ASCII text. Like all of these functions, returns the position after the text. */
export function writeAscii(to: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) to[at + i] = text.charCodeAt(i)
  return at + text.length
}

/** Writes an integer. */
export function writeInteger(to: Uint8Array, at: number, value: number): number {
  if (value >= MOST || value <= -MOST) return writeAscii(to, at, `${value}`)
  if (value >= 0) return writeNatural(to, at, value)
  to[at] = MINUS
  return writeNatural(to, at + 1, -value)
}

/**
 * Writes a finite number as `String(value)` does, so that it reads back as the same number; -0 becomes 0. Takes a list and an index instead
 * of the number, because passing a double to a function allocates an object.
 */
export function writeFloat(to: Uint8Array, at: number, values: Float64Array, index: number): number {
  const value = values[index] as number
  if ((value | 0) === value) return writeInteger(to, at, value | 0)
  const size = Math.abs(value)
  for (let places = 1; places <= SCALES.length; places++) {
    const scale = SCALES[places - 1] as number
    const scaled = Math.round(size * scale)
    // with so few digits, only one double has this decimal form, and there is no shorter form
    if (scaled < MOST && scaled / scale === size) {
      if (value < 0) to[at++] = MINUS
      const whole = Math.floor(scaled / scale)
      at = writeNatural(to, at, whole)
      to[at] = DOT
      writeFixed(to, at + 1, scaled - whole * scale, places)
      return at + 1 + places
    }
  }
  return writeAscii(to, at, `${value}`)
}

/** Writes dates and floating times. For consecutive times on one day, the date is formatted only once. */
export class TimeDigits {
  private day = Number.NaN
  private date = ''

  /** Writes `YYYY-MM-DD`. */
  writeDate(to: Uint8Array, at: number, ms: number): number {
    const day = Math.floor(ms / DAY_MS)
    if (day !== this.day) {
      this.day = day
      this.date = formatDate(ms)
    }
    return writeAscii(to, at, this.date)
  }

  /** Writes `YYYY-MM-DDTHH:MM:SS`, with `.mmm` if the milliseconds are not zero. */
  writeTime(to: Uint8Array, start: number, ms: number): number {
    const at = this.writeDate(to, start, ms)
    const within = Math.floor(ms - this.day * DAY_MS)
    const seconds = Math.floor(within / 1000)
    const minutes = Math.floor(seconds / 60)
    const hours = Math.floor(minutes / 60)
    to[at] = LETTER_T
    writeFixed(to, at + 1, hours, 2)
    to[at + 3] = COLON
    writeFixed(to, at + 4, minutes - hours * 60, 2)
    to[at + 6] = COLON
    writeFixed(to, at + 7, seconds - minutes * 60, 2)
    const thousandths = within - seconds * 1000
    if (thousandths === 0) return at + 9
    to[at + 9] = DOT
    writeFixed(to, at + 10, thousandths, 3)
    return at + 13
  }
}

function writeNatural(to: Uint8Array, at: number, value: number): number {
  let length = 1
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) length++
  writeFixed(to, at, value, length)
  return at + length
}

/** Writes a number with exactly `length` digits, padded with zeros. */
function writeFixed(to: Uint8Array, at: number, value: number, length: number): void {
  let rest = value
  for (let i = at + length - 1; i >= at; i--) {
    const left = (rest / 10) | 0
    to[i] = ZERO + rest - left * 10
    rest = left
  }
}
