/** Colors that express a meaning, such as good, bad or in progress, on a terminal that shows colors. */
import { styleText } from 'node:util'

/** A text's meaning, which determines its style. */
export type Tone = 'good' | 'bad' | 'busy' | 'faint' | 'strong'

/** Returns the text in a tone's style; an undefined tone changes nothing. */
export type Paint = (tone: Tone | undefined, text: string) => string

const STYLES = { good: 'green', bad: 'red', busy: 'yellow', faint: 'dim', strong: 'bold' } as const

/** Returns a function that colors texts, or returns them unchanged if there are no colors. */
export function painter(isColored: boolean): Paint {
  if (!isColored) return (_, text) => text
  // By default, newer versions of Node check stdout for colors, even for text on stderr.
  const ours = { validateStream: false }
  return (tone, text) => (tone === undefined || text === '' ? text : styleText(STYLES[tone], text, ours))
}

/** Returns whether a stream shows colors: it must be a terminal, and neither NO_COLOR (which --no-color sets) nor TERM=dumb may be set. */
export function showsColor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}
