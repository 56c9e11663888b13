/** Rules for tables as text (RFC 4180), shared by the importer's reader and the console's preview of a file. This module imports nothing. */

/** Matches the line that spreadsheets write before the header to declare the separator. */
export const STATED_SEPARATOR = /^sep=([\t !#-~])$/
const SNIFFED_LINES = 50

/** A row's cells; null for a row with misplaced quotes. */
export type Cells = readonly string[] | null

/**
 * Returns a table's separator: the one in a line `sep=;`, or the one that occurs equally often outside quotes in most of the first lines;
 * if there are several, the most frequent one. Lines above the header and decimal commas therefore do not matter. Returns a comma if there
 * is no separator.
 */
export function separatorOf(text: string): string {
  const lines = firstLines(text)
  const stated = STATED_SEPARATOR.exec(lines[0] ?? '')
  return stated?.[1] ?? detectShape(lines)?.separator ?? ','
}

/** Returns whether the first line has a separator, or at least half of the first lines have the same number of them. */
export function isTableText(text: string): boolean {
  const lines = firstLines(text)
  if (lines[0]?.includes(separatorOf(text))) return true
  const shape = detectShape(lines)
  return shape !== undefined && shape.lines >= 2 && shape.lines * 2 >= lines.length
}

/** Returns a text's rows, at most `most`, as the importer's `CsvParser` reads them. The last row ends with the text. */
export function firstRows(text: string, separator: string, most: number): readonly Cells[] {
  const rows: Cells[] = []
  let state: 'start' | 'plain' | 'quoted' | 'closing' = 'start'
  let rowStart = 0
  let isBroken = false
  for (let i = 0; i <= text.length && rows.length < most; i++) {
    const character = text[i]
    if (state === 'quoted' && character !== undefined) {
      if (character === '"') state = 'closing'
    } else if (character === undefined || character === '\n' || character === '\r') {
      const row = text.slice(rowStart, i)
      const isStated = rowStart === 0 && STATED_SEPARATOR.test(row)
      if (row !== '' && !isStated) rows.push(isBroken || state === 'quoted' ? null : splitCells(row, separator))
      rowStart = i + 1
      state = 'start'
      isBroken = false
    } else if (character === separator) state = 'start'
    else if (character === '"' && state !== 'plain') state = 'quoted'
    else {
      // text after a closing quote
      isBroken ||= state === 'closing'
      state = 'plain'
    }
  }
  return rows
}

/** Splits a row into cells; all of its quotes are in valid positions. */
export function splitCells(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator)
  const cells: string[] = []
  let at = 0
  for (;;) {
    if (text[at] !== '"') {
      const end = text.indexOf(separator, at)
      cells.push(end === -1 ? text.slice(at) : text.slice(at, end))
      if (end === -1) return cells
      at = end + 1
      continue
    }
    let close = text.indexOf('"', at + 1)
    while (text[close + 1] === '"') close = text.indexOf('"', close + 2)
    cells.push(text.slice(at + 1, close).replaceAll('""', '"'))
    if (close + 1 >= text.length) return cells
    at = close + 2
  }
}

function firstLines(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/, SNIFFED_LINES)
  return lines.filter(line => line.trim() !== '')
}

interface Shape {
  readonly separator: string
  /** How often the separator occurs in a line. */
  readonly count: number
  /** Number of lines in which the separator occurs that often. */
  readonly lines: number
}

function detectShape(lines: readonly string[]): Shape | undefined {
  const outside = lines.map(line => line.replaceAll(/"(?:[^"]|"")*"/g, ''))
  const shapes = ['\t', ';', ','].flatMap((separator): Shape[] => {
    const counts = outside.map(line => line.split(separator).length - 1).filter(count => count > 0)
    return counts.map(count => ({ separator, count, lines: counts.filter(each => each === count).length }))
  })
  // the sort is stable, so the first of equal separators wins
  return shapes.sort((a, b) => b.lines - a.lines || b.count - a.count)[0]
}
