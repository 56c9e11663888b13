/** The text of a table cell, safe to print on any terminal. */
import stringWidth from 'string-width'
import type { EpochMs } from '../core/time.ts'
import { SHORT_ID_WIDTH } from './layout.ts'
import { printable } from './printable.ts'
import { relativeTime } from './relative-time.ts'
import type { Cell } from './view.ts'

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

/** Returns a cell's text, in which control characters have no effect. */
export function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'number') return numberText(cell)
  const text = String(cell)
  return PRINTABLE_ASCII.test(text) ? text : printable(text)
}

/** Returns an instant as a time relative to `now`, and any other cell unchanged. */
export function timeText(cell: Cell, now: EpochMs | undefined): string {
  const text = cellText(cell)
  return now === undefined ? text : (relativeTime(text, now) ?? text)
}

/** Formats a number with up to three decimals, which is enough for people. The other formats are exact. */
function numberText(value: number): string {
  return Number.isInteger(value) || !Number.isFinite(value) ? String(value) : String(Number(value.toFixed(3)))
}

/** Returns whether every character of the text takes one column. */
export function isPlain(text: string): boolean {
  return PRINTABLE_ASCII.test(text)
}

/** Returns a text's width on a terminal, without its escape codes. */
export function textWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text)
}

const ID = /^([0-9a-f]{16,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i
const UUIDS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
const TIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?$/

/** Returns whether a text is a long machine ID: hexadecimal digits or a UUID. */
export function isLongId(text: string): boolean {
  return text.length > SHORT_ID_WIDTH && ID.test(text)
}

/** Returns whether a text is a date, or an instant in the format that the service prints. */
export function isTime(text: string): boolean {
  return TIME.test(text)
}

/** Shortens a text in the middle: `a1b2…9f0e`. */
export function shortenedId(text: string): string {
  const half = (SHORT_ID_WIDTH - 1) / 2
  return text.length <= SHORT_ID_WIDTH ? text : `${text.slice(0, half)}…${text.slice(-half)}`
}

/** Shortens every ID in a text. */
export function withShortIds(text: string): string {
  return text.replace(UUIDS, shortenedId)
}

/** Shortens the IDs in a text, then the end of the text, and marks each cut with `…`. */
export function shortenedText(given: string, width: number): string {
  return textWidth(given) <= width ? given : cutText(withShortIds(given), width)
}

/** Shortens a text at its end, and marks the cut with `…`. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  for (const char of text) {
    if (textWidth(kept + char) > width - 1) break
    kept += char
  }
  return `${kept}…`
}
