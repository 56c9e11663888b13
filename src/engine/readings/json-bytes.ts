/** Writes JSON into one growing buffer, as the bytes to send. */

const ZERO = 0x30
const [MINUS, DOT] = [0x2d, 0x2e]
export const LONGEST_NUMBER = 32
/** Limit below which decimals with up to three digits are written using whole numbers, which are exact and fit into 31 bits. */
const MOST_THOUSANDTHS = 2 ** 31 - 1

/** Returns a constant text as bytes. */
export function piece(text: string): Uint8Array {
  return Buffer.from(text)
}

/** Maximum size of the buffer that is kept for the next text. Accessing new memory costs more than writing into it. */
const MOST_KEPT_BYTES = 1 << 20
// global, because it is only spare memory, and no text depends on it
let kept: Buffer | null = null

export class JsonBytes {
  /** Position of the next byte, for code that writes directly into `room`. */
  at = 0
  private buffer: Buffer

  /** `bytes` is the expected size. If several writers exist at the same time, only one of them reuses the buffer. */
  constructor(bytes: number) {
    this.buffer = kept !== null && kept.length >= bytes ? kept : Buffer.allocUnsafeSlow(bytes)
    kept = null
  }

  /** Returns the written bytes, each as one character (Node's `latin1`). The writer must not be used afterwards. */
  taken(): string {
    const text = this.buffer.toString('latin1', 0, this.at)
    if (this.buffer.length <= MOST_KEPT_BYTES) kept = this.buffer
    return text
  }

  /** Returns the buffer with room for this many bytes after `at`. */
  room(bytes: number): Buffer {
    if (this.at + bytes > this.buffer.length) {
      const wider = Buffer.allocUnsafeSlow(Math.max(this.at + bytes, this.buffer.length * 2))
      wider.set(this.buffer.subarray(0, this.at))
      this.buffer = wider
    }
    return this.buffer
  }

  put(bytes: Uint8Array): void {
    this.room(bytes.length).set(bytes, this.at)
    this.at += bytes.length
  }

  /** Appends the text that another writer's `taken` returned. */
  putTaken(bytes: string): void {
    this.at += this.room(bytes.length).write(bytes, this.at, 'latin1')
  }

  byte(code: number): void {
    this.room(1)[this.at++] = code
  }

  text(text: string): void {
    // a UTF-16 unit takes at most three bytes
    this.at += this.room(text.length * 3).write(text, this.at)
  }

  number(value: number): void {
    this.at = putNumber(this.room(LONGEST_NUMBER), this.at, value)
  }
}

/** Writes a number in the same way as JSON (null for NaN and infinities, no minus zero) and returns its end position. */
export function putNumber(bytes: Uint8Array, at: number, value: number): number {
  const size = Math.abs(value)
  const thousandths = Math.round(size * 1000)
  // no other decimal with up to fifteen digits is the same number, so this one is the shortest
  if (thousandths <= MOST_THOUSANDTHS && thousandths / 1000 === size) {
    if (value < 0) bytes[at++] = MINUS
    return putDecimal(bytes, at, thousandths | 0)
  }
  const text = Number.isFinite(value) ? `${value}` : 'null'
  for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
  return at
}

function putDecimal(bytes: Uint8Array, begin: number, thousandths: number): number {
  const whole = (thousandths / 1000) | 0
  let at = begin + 1
  for (let power = 10; power <= whole; power *= 10) at++
  let left = whole
  for (let i = at - 1; i >= begin; i--) {
    const tens = (left / 10) | 0
    bytes[i] = ZERO + left - tens * 10
    left = tens
  }
  let rest = thousandths - whole * 1000
  if (rest === 0) return at
  bytes[at++] = DOT
  for (let power = 100; rest !== 0; power = (power / 10) | 0) {
    const digit = (rest / power) | 0
    bytes[at++] = ZERO + digit
    rest -= digit * power
  }
  return at
}

/** Writes the time of day as `HH:MM:SS` at three positions, which may be equal, followed by the milliseconds if they are shown. */
export function putTime(
  bytes: Uint8Array,
  at: number,
  also: number,
  third: number,
  within: number,
  showsMs: boolean,
): void {
  const seconds = (within / 1000) | 0
  const minutes = (seconds / 60) | 0
  const hour = (minutes / 60) | 0
  const minute = minutes - hour * 60
  const second = seconds - minutes * 60
  const hourTens = (hour / 10) | 0
  const minuteTens = (minute / 10) | 0
  const secondTens = (second / 10) | 0
  bytes[at] = bytes[also] = bytes[third] = ZERO + hourTens
  bytes[at + 1] = bytes[also + 1] = bytes[third + 1] = ZERO + hour - hourTens * 10
  bytes[at + 3] = bytes[also + 3] = bytes[third + 3] = ZERO + minuteTens
  bytes[at + 4] = bytes[also + 4] = bytes[third + 4] = ZERO + minute - minuteTens * 10
  bytes[at + 6] = bytes[also + 6] = bytes[third + 6] = ZERO + secondTens
  bytes[at + 7] = bytes[also + 7] = bytes[third + 7] = ZERO + second - secondTens * 10
  if (!showsMs) return
  const thousandths = within - seconds * 1000
  const hundreds = (thousandths / 100) | 0
  const tens = ((thousandths - hundreds * 100) / 10) | 0
  bytes[at + 9] = bytes[also + 9] = bytes[third + 9] = ZERO + hundreds
  bytes[at + 10] = bytes[also + 10] = bytes[third + 10] = ZERO + tens
  bytes[at + 11] = bytes[also + 11] = bytes[third + 11] = ZERO + thousandths - hundreds * 100 - tens * 10
}
