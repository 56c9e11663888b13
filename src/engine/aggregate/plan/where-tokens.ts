/** Splits a where clause into tokens. */
import { type Loc, refuse } from './refusal.ts'

export type Token =
  | { readonly kind: 'number' | 'boolean'; readonly value: number; readonly at: number }
  | { readonly kind: 'text' | 'name' | 'operator'; readonly text: string; readonly at: number }
  /** AND, OR and NOT, in upper case, and parentheses. */
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly at: number }

const SPACE = /[ \t\r\n]+/y
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const NAME = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*/y
const OPERATOR = />=|<=|!=|[><=]/y
const QUOTED = /'((?:[^']|'')*)'/y
const WORDS = new Set(['AND', 'OR', 'NOT'])
const BOOLEANS: Readonly<Record<string, number>> = { TRUE: 1, FALSE: 0 }

/** Returns a clause's tokens, with `end` as the last one. Keywords can be in any case. In quoted text, `''` is one quote. */
export function tokenize(text: string, loc: Loc): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  while (at < text.length) {
    const start = at
    const found = match(SPACE) ?? match(NAME) ?? match(NUMBER) ?? match(OPERATOR) ?? match(QUOTED)
    if (found) {
      at += found[0].length
      const token = toToken(found, start)
      if (token) tokens.push(token)
    } else if (text[at] === '(' || text[at] === ')') {
      tokens.push({ kind: 'word', text: text.charAt(at++), at: start })
    } else {
      throw refuse(loc, `at character ${start + 1}: ${problem(text.charAt(at))}`)
    }
  }
  tokens.push({ kind: 'end', at })
  return tokens
}

function toToken(found: RegExpExecArray, at: number): Token | undefined {
  const text = found[0]
  const first = text.charAt(0)
  if (/\s/.test(first)) return undefined
  if (found[1] !== undefined) return { kind: 'text', text: found[1].replaceAll("''", "'"), at }
  if (/[A-Za-z_]/.test(first)) {
    const upper = text.toUpperCase()
    if (WORDS.has(upper)) return { kind: 'word', text: upper, at }
    const boolean = BOOLEANS[upper]
    return boolean === undefined ? { kind: 'name', text, at } : { kind: 'boolean', value: boolean, at }
  }
  if (/[<>=!]/.test(first)) return { kind: 'operator', text, at }
  return { kind: 'number', value: Number(text), at }
}

function problem(character: string): string {
  if (character === "'") return 'a quoted text has no closing quote'
  if (character === '"') return 'double quotes are not allowed. Put texts in single quotes.'
  if (character === '!') return '! is not an operator. Write != for not equal.'
  return 'this character is not allowed'
}
