/** Numbers as tables write them: a point or, where the file's separator shows it, a comma before the decimals; no grouping. */

const POINT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/
/** A comma with exactly three digits after it could group thousands as well: it is not taken for a decimal comma. */
const COMMA = /^[+-]?(?:\d+,(?:\d{1,2}|\d{4,})|0,\d{3})$/

/**
 * The number of a cell, or NaN where it is none: `1.234,5`, `1,234` and `1 234` are refused, because what they mean depends on
 * who reads them. A decimal comma is read only where `decimalComma` says that the file can have one.
 */
export function parseCell(text: string, decimalComma: boolean): number {
  const cell = text.trim()
  if (POINT.test(cell)) return Number(cell)
  return decimalComma && COMMA.test(cell) ? Number(cell.replace(',', '.')) : Number.NaN
}
