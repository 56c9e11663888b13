/** Parses the words of a bash command line, and quotes a word so that bash reads it back unchanged. */

export interface ShellLine {
  /** The complete words, without their quotes. */
  readonly words: readonly string[]
  /** The word at the cursor, without its quotes. */
  readonly current: string
  /** The quotation mark that is open at the cursor. */
  readonly quote: '' | "'" | '"'
  /** The part of `current` before the last word break or the open quote, which bash does not replace. */
  readonly kept: string
}

/** Characters with a special meaning in bash outside quotes. */
const SPECIAL = /[^\p{L}\p{N}_@%+.,/~^-]/gu
/** Characters that a backslash escapes within double quotes. */
const SPECIAL_IN_QUOTES = /[$`"\\!]/g

/** Reads a command line up to the cursor. `breaks` are bash's COMP_WORDBREAKS, at which it splits the word that it completes. */
export function readBashLine(line: string, breaks: string): ShellLine {
  const words: string[] = []
  let current = ''
  let isWord = false
  let quote: ShellLine['quote'] = ''
  let kept = ''
  for (let i = 0; i < line.length; i++) {
    const character = line[i] ?? ''
    if (quote === "'") {
      if (character === "'") quote = ''
      else current += character
    } else if (character === '\\') {
      const next = line[++i] ?? ''
      const isEscape = quote === '' || /[$`"\\\n]/.test(next)
      current += isEscape ? next : `\\${next}`
      isWord = true
    } else if (quote === '"') {
      if (character === '"') quote = ''
      else current += character
    } else if (character === "'" || character === '"') {
      quote = character
      isWord = true
      kept = current
    } else if (/\s/.test(character)) {
      if (isWord) words.push(current)
      current = ''
      kept = ''
      isWord = false
    } else {
      current += character
      isWord = true
      if (breaks.includes(character)) kept = current
    }
  }
  return { words, current, quote, kept }
}

/** Returns the text that bash inserts for a word. */
export function asBashReply(word: string, { quote, kept }: Pick<ShellLine, 'quote' | 'kept'>): string {
  const text = word.startsWith(kept) ? word.slice(kept.length) : word
  if (quote === "'") return text.replaceAll("'", "'\\''")
  if (quote === '"') return text.replace(SPECIAL_IN_QUOTES, '\\$&')
  return text.replace(SPECIAL, '\\$&')
}
