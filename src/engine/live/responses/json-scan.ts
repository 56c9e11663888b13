/** Counts JSON values while the bytes are being received, so that a response that would take too much time or memory is never parsed. */
import type { ResponseLimits } from '../../../connectors/live/response-limits.ts'
import { formatCount } from '../../../core/text.ts'

/** Classes of bytes that are outside a string. */
const NOTHING = 0
const OPEN = 1
const CLOSE = 2
/** A separator between two values, or between a name and a value. */
const SEPARATOR = 3
const QUOTE = 4

const MEANING = new Uint8Array(256)
for (const [bytes, meaning] of [
  ['{[', OPEN],
  ['}]', CLOSE],
  [',:', SEPARATOR],
  ['"', QUOTE],
] as const) {
  for (const byte of Buffer.from(bytes)) MEANING[byte] = meaning
}
const QUOTE_BYTE = 0x22
const BACKSLASH = 0x5c

/** Scans JSON byte by byte without validating it, which the parser does. */
export class JsonScan {
  private depth = 0
  private values = 0
  private deepest = 0
  private longest = 0
  private isInText = false
  private isEscaped = false
  /** Number of the current string's bytes that were in earlier pieces. */
  private textBefore = 0
  private readonly limits: Pick<ResponseLimits, 'values' | 'depth' | 'textBytes'>

  constructor(limits: Pick<ResponseLimits, 'values' | 'depth' | 'textBytes'>) {
    this.limits = limits
  }

  /** Scans a piece. Returns the limit that was exceeded, worded to follow "a response", or null if none was exceeded. */
  add(piece: Uint8Array): string | null {
    const end = piece.length
    let at = 0
    let { depth, values, deepest } = this
    if (this.isInText) at = this.text(piece, 0)
    while (at < end) {
      // written out inline, because every byte of every response passes through here
      const meaning = MEANING[piece[at++] as number]
      if (meaning === NOTHING) continue
      if (meaning === QUOTE) {
        at = this.text(piece, at)
      } else if (meaning === SEPARATOR) {
        values++
      } else if (meaning === OPEN) {
        values++
        if (++depth > deepest) deepest = depth
      } else depth--
    }
    this.depth = depth
    this.values = values
    this.deepest = deepest
    return this.excess()
  }

  /** Scans a string, starting at a byte within it. Returns the position at which the string or the piece ends. */
  private text(piece: Uint8Array, from: number): number {
    const end = piece.length
    let at = from
    if (this.isEscaped && at < end) {
      this.isEscaped = false
      at++
    }
    while (at < end) {
      const byte = piece[at++]
      if (byte === QUOTE_BYTE) {
        this.ended(at - from - 1)
        this.isInText = false
        this.textBefore = 0
        return at
      }
      if (byte !== BACKSLASH) continue
      if (at === end) this.isEscaped = true
      at++
    }
    this.isInText = true
    this.ended(end - from)
    this.textBefore += end - from
    return end
  }

  private ended(bytes: number): void {
    const length = this.textBefore + bytes
    if (length > this.longest) this.longest = length
  }

  private excess(): string | null {
    const { values, depth, textBytes } = this.limits
    if (this.deepest > depth) return `with more than ${depth} levels`
    if (this.values > values) return `with more than ${formatCount(values)} values`
    return this.longest > textBytes ? `with a text of more than ${textBytes / 1024} KiB` : null
  }
}
