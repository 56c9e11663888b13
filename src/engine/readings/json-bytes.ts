/** JSON written as the bytes that are sent, into one buffer that grows. */

const ZERO = 0x30
const [MINUS, DOT] = [0x2d, 0x2e]
const LONGEST_NUMBER = 32
/** Decimals of up to three digits are written from whole numbers: below it these are exact, and fit 31 bits. */
const MOST_THOUSANDTHS = 2 ** 31 - 1

/** The bytes of a text that does not change. */
export function piece(text: string): Uint8Array {
  return Buffer.from(text)
}

export class JsonBytes {
  private buffer: Buffer
  private at = 0

  /** `bytes` are expected. */
  constructor(bytes: number) {
    this.buffer = Buffer.allocUnsafeSlow(bytes)
  }

  /** What was written; nothing may be written any more. */
  taken(): Uint8Array {
    return this.buffer.subarray(0, this.at)
  }

  put(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.buffer.set(bytes, this.at)
    this.at += bytes.length
  }

  byte(code: number): void {
    this.reserve(1)
    this.buffer[this.at++] = code
  }

  text(text: string): void {
    // an UTF-16 unit takes three bytes at most
    this.reserve(text.length * 3)
    this.at += this.buffer.write(text, this.at)
  }

  /** As JSON has it: what is no number is null, and there is no minus zero. */
  number(value: number): void {
    this.reserve(LONGEST_NUMBER)
    const size = Math.abs(value)
    const thousandths = Math.round(size * 1000)
    // no other decimal of fifteen digits or fewer is the same number, so this one is the shortest
    if (thousandths <= MOST_THOUSANDTHS && thousandths / 1000 === size) {
      if (value < 0) this.buffer[this.at++] = MINUS
      this.decimal(thousandths | 0)
      return
    }
    const text = Number.isFinite(value) ? `${value}` : 'null'
    for (let i = 0; i < text.length; i++) this.buffer[this.at++] = text.charCodeAt(i)
  }

  private decimal(thousandths: number): void {
    const { buffer } = this
    const whole = (thousandths / 1000) | 0
    let digits = 1
    for (let power = 10; power <= whole; power *= 10) digits++
    let at = this.at + digits
    let left = whole
    for (let i = at - 1; i >= this.at; i--) {
      const tens = (left / 10) | 0
      buffer[i] = ZERO + left - tens * 10
      left = tens
    }
    let rest = thousandths - whole * 1000
    if (rest !== 0) {
      buffer[at++] = DOT
      for (let power = 100; rest !== 0; power = (power / 10) | 0) {
        const digit = (rest / power) | 0
        buffer[at++] = ZERO + digit
        rest -= digit * power
      }
    }
    this.at = at
  }

  private reserve(more: number): void {
    if (this.at + more <= this.buffer.length) return
    const wider = Buffer.allocUnsafeSlow(Math.max(this.at + more, this.buffer.length * 2))
    wider.set(this.buffer.subarray(0, this.at))
    this.buffer = wider
  }
}

/** Writes the time of a day as `HH:MM:SS` over what stands there, and after it, where they are shown, the milliseconds. */
export function putTime(bytes: Uint8Array, at: number, within: number, showsMs: boolean): void {
  const second = (within / 1000) | 0
  const minute = (second / 60) | 0
  const hour = (minute / 60) | 0
  twoDigits(bytes, at, hour)
  twoDigits(bytes, at + 3, minute - hour * 60)
  twoDigits(bytes, at + 6, second - minute * 60)
  if (!showsMs) return
  const thousandths = within - second * 1000
  const hundreds = (thousandths / 100) | 0
  bytes[at + 9] = ZERO + hundreds
  twoDigits(bytes, at + 10, thousandths - hundreds * 100)
}

function twoDigits(bytes: Uint8Array, at: number, number: number): void {
  const tens = (number / 10) | 0
  bytes[at] = ZERO + tens
  bytes[at + 1] = ZERO + number - tens * 10
}
