/** Which encoding the text of a file has: UTF-8 is taken, UTF-16 is refused by name. */
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../../core/errors.ts'

/** Throws ServiceError `invalid_file` where the first bytes are those of UTF-16, with or without its byte order mark. */
export function refuseUtf16(head: Uint8Array): void {
  const [a, b, c, d] = head
  const isMarked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)
  // every other byte of Latin text is zero
  const isBare = head.length >= 4 && ((!a && b && !c && d) || (a && !b && c && !d))
  if (!isMarked && !isBare) return
  throw new ServiceError('invalid_file', 'The file is UTF-16 text; only UTF-8 is read.', {
    suggestions: ['Save the file as UTF-8 and import it again.'],
  })
}

/**
 * The text of a file's first bytes in another encoding than UTF-8, as far as it takes to tell what the file is: UTF-16 with its
 * byte order mark, or one of a byte a character. Undefined where they are no text at all.
 */
export function otherText(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length)
  const [a, b] = head
  if (a === 0xff && b === 0xfe) return bytes.toString('utf16le', 2)
  if (a === 0xfe && b === 0xff) return bytes.toString('latin1', 2).replaceAll('\u0000', '')
  const text = bytes.toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells binary from text
  return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text
}

/** The text of a file's first bytes, which may end inside a character; undefined where they are no text. */
export function headText(head: Uint8Array): string | undefined {
  for (let cut = 0; cut <= 3 && cut <= head.length; cut++) {
    const bytes = head.subarray(0, head.length - cut)
    if (!isUtf8(bytes)) continue
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells binary from text
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text.replace(/^\ufeff/, '')
  }
  return undefined
}
