/** Detects a file's text encoding. Accepts UTF-8; refuses UTF-16 with a message that mentions the encoding. */
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../../core/errors.ts'

/** The UTF-8 byte order mark. */
const BOM = [0xef, 0xbb, 0xbf]

/**
 * Handles the start of a text that arrives in pieces. `next` and, at the end, `rest` return the bytes to read, without a byte order mark.
 * Both throw ServiceError `invalid_file` for UTF-16.
 */
export class TextStart {
  /** Length of the byte order mark, once the first bytes have been returned. */
  markBytes = 0
  /** The first bytes, until there are enough of them to detect a byte order mark; null afterwards. */
  private head: Buffer | null = Buffer.alloc(0)

  next(bytes: Uint8Array): Uint8Array {
    if (this.head === null) return bytes
    this.head = Buffer.concat([this.head, bytes])
    return this.head.length < BOM.length ? new Uint8Array() : this.rest()
  }

  rest(): Uint8Array {
    const { head } = this
    if (head === null) return new Uint8Array()
    this.head = null
    refuseUtf16(head)
    if (BOM.every((byte, i) => head[i] === byte)) this.markBytes = BOM.length
    return head.subarray(this.markBytes)
  }
}

function refuseUtf16(head: Uint8Array): void {
  const [a, b, c, d] = head
  const isMarked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)
  // every other byte of Latin text in UTF-16 is zero
  const isBare = head.length >= 4 && ((!a && b && !c && d) || (a && !b && c && !d))
  if (!isMarked && !isBare) return
  throw new ServiceError('invalid_file', 'The file is UTF-16 text, but only UTF-8 can be imported.', {
    suggestions: ['Save the file as UTF-8 and import it again.'],
  })
}

/**
 * Returns the text of a file's first bytes in an encoding other than UTF-8, well enough to recognize the file type: UTF-16 with a byte
 * order mark, or an encoding with one byte per character. Returns undefined if the bytes are not text.
 */
export function otherText(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length)
  const [a, b] = head
  if (a === 0xff && b === 0xfe) return bytes.toString('utf16le', 2)
  if (a === 0xfe && b === 0xff) return bytes.toString('latin1', 2).replaceAll('\u0000', '')
  const text = bytes.toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they distinguish binary data from text
  return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text
}

/** Returns the text of a file's first bytes, which may end inside a character; undefined if they are not text. */
export function headText(head: Uint8Array): string | undefined {
  for (let cut = 0; cut <= 3 && cut <= head.length; cut++) {
    const bytes = head.subarray(0, head.length - cut)
    if (!isUtf8(bytes)) continue
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they distinguish binary data from text
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text.replace(/^\ufeff/, '')
  }
  return undefined
}
