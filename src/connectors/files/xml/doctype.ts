/**
 * Finds the end of the document type declaration. Its content is not read, because exports do not need it and hostile files misuse it.
 * Reads by index are unchecked (`as number`), because the loops are hot and stay in range.
 */
import { APOSTROPHE, BANG, CLOSE_BRACKET, DASH, GT, isSpace, LT, OPEN_BRACKET, QUESTION, QUOTE } from './bytes.ts'

/**
 * Returns the position after the document type that is open at `from`, or -1 if the bytes do not contain its end. Quotes are recognized
 * only inside declarations, because some published exports have document types that are not well-formed.
 */
export function doctypeEnd(bytes: Buffer, from: number): number {
  let inSubset = false
  let inDeclaration = true
  for (let i = from; i < bytes.length; i++) {
    const code = bytes[i] as number
    if (inDeclaration && (code === QUOTE || code === APOSTROPHE)) {
      i = bytes.indexOf(code, i + 1)
      if (i === -1) return -1
    } else if (code === LT) {
      const ending = endMarker(bytes, i)
      if (ending === '') inDeclaration = true
      else {
        i = bytes.indexOf(ending, i + (ending === '-->' ? 4 : 2))
        if (i === -1) return -1
        i += ending.length - 1
      }
    } else if (code === OPEN_BRACKET && !inSubset) {
      inSubset = true
      inDeclaration = false
    } else if (code === CLOSE_BRACKET && inSubset) {
      const next = afterSpace(bytes, i + 1)
      if (next === bytes.length) return -1
      if (bytes[next] === GT) return next + 1
    } else if (code === GT) {
      if (!inSubset) return i + 1
      inDeclaration = false
    }
  }
  return -1
}

/** Returns the end marker of the comment or processing instruction that starts at this position; '' for anything else. */
function endMarker(bytes: Buffer, at: number): string {
  if (bytes[at + 1] === BANG && bytes[at + 2] === DASH && bytes[at + 3] === DASH) return '-->'
  return bytes[at + 1] === QUESTION ? '?>' : ''
}

function afterSpace(bytes: Buffer, from: number): number {
  let i = from
  while (i < bytes.length && isSpace(bytes[i] as number)) i++
  return i
}
