/**
 * Captures one JSON value from byte pieces. Only brackets and quotes determine where the value ends. Reads by index are unchecked (`as
 * number`), because the loops are hot and stay in range.
 */
import { ServiceError } from '../../../core/errors.ts'

/** Maximum number of bytes in a value, and therefore in memory. */
export const MOST_VALUE_BYTES = 16 * 1_048_576
const MOST_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const COMMA = 0x2c
const COLON = 0x3a

/** Captures a value. Feed it the bytes from the start of the value until `isDone`. */
export class JsonCapture {
  isDone = false
  /** Byte position of the value's start in the file. */
  readonly byte: number
  private readonly mostBytes: number
  private readonly isKept: boolean
  private parts: Buffer[] = []
  size = 0
  private depth = 0
  private inString = false
  private isEscaped = false
  /** The kind of value; undefined before the first byte. */
  private kind: 'container' | 'string' | 'scalar' | undefined

  constructor(byte: number, mostBytes: number, isKept: boolean) {
    this.byte = byte
    this.mostBytes = mostBytes
    this.isKept = isKept
  }

  /** Whether the value is a number or a word, which ends only at the next character. */
  get isScalar(): boolean {
    return this.kind === 'scalar'
  }

  /** The value's bytes, complete once `isDone` is true. */
  get bytes(): Uint8Array {
    const [first, second] = this.parts
    return first && !second ? first : Buffer.concat(this.parts)
  }

  /**
   * Reads bytes from `from` on. Returns the position where it stopped: after the value, or at the end of the piece. Throws ServiceError
   * `invalid_file` for a value that is too large or nested too deeply.
   */
  feed(bytes: Uint8Array, from: number): number {
    this.kind ??= valueKind(bytes[from] as number)
    const to = this.kind === 'scalar' ? this.scalarEnd(bytes, from) : this.bracketEnd(bytes, from)
    this.size += to - from
    if (this.size > this.mostBytes) {
      const most = this.mostBytes < 1_048_576 ? `${this.mostBytes / 1024} KiB` : `${this.mostBytes / 1_048_576} MiB`
      throw tooMuch(`a value at byte ${this.byte} is larger than ${most}`)
    }
    if (this.isKept) this.parts.push(Buffer.from(bytes.subarray(from, to)))
    return to
  }

  private scalarEnd(bytes: Uint8Array, from: number): number {
    let i = from
    for (; i < bytes.length; i++) {
      const byte = bytes[i] as number
      const isEnd = byte <= 0x20 || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte === COLON
      if (isEnd) {
        this.isDone = true
        return i
      }
    }
    return i
  }

  private bracketEnd(bytes: Uint8Array, from: number): number {
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i] as number
      if (this.inString) {
        if (this.isEscaped) this.isEscaped = false
        else if (byte === BACKSLASH) this.isEscaped = true
        else if (byte === QUOTE) {
          this.inString = false
          if (this.depth === 0) return this.done(i)
        }
      } else if (byte === QUOTE) this.inString = true
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (++this.depth > MOST_DEPTH)
          throw tooMuch(`a value at byte ${this.byte} is nested deeper than ${MOST_DEPTH} levels`)
      } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --this.depth === 0) return this.done(i)
    }
    return bytes.length
  }

  private done(last: number): number {
    this.isDone = true
    return last + 1
  }
}

function valueKind(byte: number): 'container' | 'string' | 'scalar' {
  if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return 'container'
  return byte === QUOTE ? 'string' : 'scalar'
}

function tooMuch(what: string): ServiceError {
  return new ServiceError('invalid_file', `The file cannot be read: ${what}, which is the limit.`)
}
