/** CSV as RFC 4180 has it, but for the line ends: LF, as the tools around a pipe expect. */

/** One record, ended. Null is an empty field and an empty text is `""`; a number reads back as the same number. */
export function csvRecord(cells: readonly (string | number | boolean | null | undefined)[]): string {
  return `${cells.map(csvField).join(',')}\n`
}

function csvField(cell: string | number | boolean | null | undefined): string {
  if (cell === null || cell === undefined) return ''
  if (cell === '') return '""'
  // String(-0) is 0
  const text = Object.is(cell, -0) ? '-0' : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
