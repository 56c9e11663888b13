/** Counts what is in JSON while its bytes arrive, so that an answer that would take too much time or memory is never parsed. */
import type { AnswerLimits } from '../../../connectors/live/answer-limits.ts'

/** What a byte outside of a text means. */
const NOTHING = 0
const OPEN = 1
const CLOSE = 2
/** Stands between two values, or a name and a value. */
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

/** Reads JSON byte by byte without checking it, which the parser does. */
export class JsonScan {
  private depth = 0
  private values = 0
  private deepest = 0
  private longest = 0
  private isInText = false
  private isEscaped = false
  /** Bytes of the text so far, in earlier pieces. */
  private textBefore = 0
  private readonly limits: Pick<AnswerLimits, 'values' | 'depth' | 'textBytes'>

  constructor(limits: Pick<AnswerLimits, 'values' | 'depth' | 'textBytes'>) {
    this.limits = limits
  }

  /** Reads a piece. Returns what there is too much of so far, to follow "an answer"; null: nothing. */
  add(piece: Uint8Array): string | null {
    const end = piece.length
    let at = 0
    let { depth, values, deepest } = this
    if (this.isInText) at = this.text(piece, 0)
    while (at < end) {
      // written out, because every byte of every answer passes here
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

  /** Reads a text from a byte within it. Returns where it or the piece ends. */
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
    if (this.values > values) return `with more than ${values.toLocaleString('en-US')} values`
    return this.longest > textBytes ? `with a text of more than ${textBytes / 1024} KiB` : null
  }
}
