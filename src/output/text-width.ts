/** How many columns of a terminal a text takes. */

/** First and last code points of what takes two columns: East Asian wide and full-width characters, and emoji. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
]
const ASCII = /^[\x20-\x7e]*$/
/** Marks that are drawn over the character before them, and characters without a shape. */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u

export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let columns = 0
  for (const char of text) columns += charWidth(char)
  return columns
}

function charWidth(char: string): number {
  const code = char.codePointAt(0) as number
  if (code < 0x300) return code === 0xad ? 0 : 1
  if (NO_WIDTH.test(char)) return 0
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1
}
