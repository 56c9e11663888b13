/** Colours with a meaning, such as good, bad or in progress, on a terminal that shows colours. */
import { styleText } from 'node:util'

/** The meaning of a text, which determines its style. */
export type Tone = 'good' | 'bad' | 'busy' | 'faint' | 'strong'

/** Returns the text in the style of a tone; an undefined tone changes nothing. */
export type Paint = (tone: Tone | undefined, text: string) => string

const STYLES = { good: 'green', bad: 'red', busy: 'yellow', faint: 'dim', strong: 'bold' } as const

/** Returns a function that colours texts; without colours, it returns the texts unchanged. */
export function painter(isColored: boolean): Paint {
  if (!isColored) return (_, text) => text
  // Newer versions of Node would check stdout for colours, even for a text on stderr.
  const ours = { validateStream: false }
  return (tone, text) => (tone === undefined || text === '' ? text : styleText(STYLES[tone], text, ours))
}

/** Returns whether a stream shows colours: a terminal, unless NO_COLOR (which --no-color sets) or TERM=dumb says otherwise. */
export function showsColor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}
