/** The bytes of XML markup. */

export const LT = 0x3c
export const GT = 0x3e
export const SLASH = 0x2f
export const BANG = 0x21
export const QUESTION = 0x3f
export const EQUALS = 0x3d
export const DASH = 0x2d
export const QUOTE = 0x22
export const APOSTROPHE = 0x27
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d

/** Returns whether a byte is white space in XML. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Returns whether a byte may be part of a name, that is, does not end it. */
export function isNameByte(code: number): boolean {
  return code > 0x20 && code !== EQUALS && code !== GT && code !== SLASH && code !== LT && code !== QUOTE
}
