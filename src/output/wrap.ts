/** Breaks lines between words, which a terminal does not do. */
import { textWidth } from './cell-text.ts'

/**
 * Returns the text with lines of at most `width` columns. Only a longer word exceeds this, because an ID or an argument must stay whole for
 * copying. Lines keep their indentation. Without a width, nothing changes.
 */
export function wrapped(text: string, width: number | undefined): string {
  if (width === undefined) return text
  return text
    .split('\n')
    .map(line => (textWidth(line) <= width ? line : wrappedLine(line, width)))
    .join('\n')
}

function wrappedLine(line: string, width: number): string {
  const [indent = ''] = /^ */.exec(line) ?? []
  const lines: string[] = []
  let last = indent
  for (const word of line.slice(indent.length).split(' ')) {
    const isEmpty = last === indent
    if (!isEmpty && textWidth(`${last} ${word}`) > width) {
      lines.push(last)
      last = indent + word
    } else last += isEmpty ? word : ` ${word}`
  }
  return [...lines, last].join('\n')
}
