/** Parses a where clause such as `type = 'long_sleep' AND NOT (score < 60 OR efficiency < 80)` into a tree of resolved columns. */
import { QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import { present } from '../../../core/present.ts'
import { parseDate, parseDateTime } from '../../../core/time.ts'
import type { ColumnRef } from './columns.ts'
import { type Loc, refuse } from './refusal.ts'
import { type Token, tokenize } from './where-tokens.ts'

export type Comparison = '>' | '>=' | '<' | '<=' | '=' | '!='
export type Operand =
  | { readonly kind: 'column'; readonly ref: ColumnRef }
  | { readonly kind: 'number' | 'boolean'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }

/** A parsed where clause. NOT binds more tightly than AND, and AND more tightly than OR. */
export type Predicate =
  | { readonly kind: 'compare'; readonly op: Comparison; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Predicate[] }
  | { readonly kind: 'not'; readonly part: Predicate }

const GRAMMAR =
  'A predicate compares columns, numbers and quoted texts with > >= < <= = !=, joined by AND, OR, NOT and parentheses.'

/** Returns the column with this name in a where clause. Throws a 422 for an unknown name. */
export type Identifiers = (name: string) => ColumnRef

/** Parses a where clause and resolves its names. Throws a 422 at `loc` with the position of the character at which parsing stopped. */
export function parseWhere(text: string, identifiers: Identifiers, loc: Loc): Predicate {
  if (text.length > QUERY_LIMITS.whereCharacters) {
    throw refuse(
      loc,
      `must have at most ${QUERY_LIMITS.whereCharacters} characters, but has ${text.length}`,
      'query_limit',
    )
  }
  const parser = new Parser(tokenize(text, loc), identifiers, loc)
  return parser.whole()
}

/** Returns the columns used in a predicate. */
export function predicateColumns(predicate: Predicate): readonly ColumnRef[] {
  if (predicate.kind === 'not') return predicateColumns(predicate.part)
  if (predicate.kind !== 'compare') return predicate.parts.flatMap(predicateColumns)
  return [predicate.left, predicate.right].flatMap(side => (side.kind === 'column' ? [side.ref] : []))
}

class Parser {
  private at = 0
  private depth = 0
  private readonly tokens: readonly Token[]
  private readonly identifiers: Identifiers
  private readonly loc: Loc

  constructor(tokens: readonly Token[], identifiers: Identifiers, loc: Loc) {
    this.tokens = tokens
    this.identifiers = identifiers
    this.loc = loc
  }

  whole(): Predicate {
    const predicate = this.or()
    if (this.peek().kind !== 'end') throw this.unexpected('AND, OR or the end')
    return predicate
  }

  private or(): Predicate {
    const first = this.and()
    const parts = [first]
    while (this.takes('OR')) parts.push(this.and())
    return parts.length === 1 ? first : { kind: 'or', parts }
  }

  private and(): Predicate {
    const first = this.not()
    const parts = [first]
    while (this.takes('AND')) parts.push(this.not())
    return parts.length === 1 ? first : { kind: 'and', parts }
  }

  private not(): Predicate {
    if (this.takes('NOT')) return this.nested(() => ({ kind: 'not', part: this.not() }))
    if (!this.takes('(')) return this.comparison()
    return this.nested(() => {
      const inner = this.or()
      if (!this.takes(')')) throw this.unexpected('AND, OR or )')
      return inner
    })
  }

  private nested(read: () => Predicate): Predicate {
    if (++this.depth > QUERY_LIMITS.whereDepth) {
      throw refuse(this.loc, `must be nested at most ${QUERY_LIMITS.whereDepth} levels deep`, 'query_limit')
    }
    const predicate = read()
    this.depth--
    return predicate
  }

  private comparison(): Predicate {
    const left = this.operand()
    const token = this.peek()
    if (token.kind !== 'operator') throw this.unexpected('one of > >= < <= = !=')
    this.at++
    const right = this.operand()
    return this.checked(token.text as Comparison, left, right, token.at)
  }

  private operand(): Operand {
    const token = this.peek()
    if (token.kind === 'number') return this.taken({ kind: 'number', value: token.value })
    if (token.kind === 'text') return this.taken({ kind: 'text', value: token.text })
    if (token.kind === 'boolean') return this.taken({ kind: 'boolean', value: token.value })
    if (token.kind !== 'name') throw this.unexpected('a column, a number or a quoted text')
    return this.taken({ kind: 'column', ref: this.identifiers(token.text) })
  }

  /** Checks that both sides have the same type. Text that is compared with a time is parsed as a time. */
  private checked(op: Comparison, left: Operand, right: Operand, at: number): Predicate {
    const [a, b] = [this.operandKind(left), this.operandKind(right)]
    if (a === 'time' && right.kind === 'text') return { kind: 'compare', op, left, right: this.time(right.value, at) }
    if (b === 'time' && left.kind === 'text') return { kind: 'compare', op, left: this.time(left.value, at), right }
    if (a !== b) throw this.wrong(`${ARTICLE[a]} cannot be compared with ${ARTICLE[b]}`, at)
    return { kind: 'compare', op, left, right }
  }

  private operandKind(operand: Operand): keyof typeof ARTICLE {
    if (operand.kind !== 'column') return operand.kind
    const type = operand.ref.type
    if (type === 'text') return 'text'
    if (type === 'bool') return 'boolean'
    return type === 'time' || type === 'date' ? 'time' : 'number'
  }

  private time(text: string, at: number): Operand {
    const parsed = parseDateTime(text)
    const value = parseDate(text) ?? (parsed?.offset === 'floating' ? parsed.local : undefined)
    if (value === undefined) {
      throw this.wrong(
        "a time cannot be compared with this text. Write 'YYYY-MM-DD' or 'YYYY-MM-DDTHH:MM:SS', in local time",
        at,
      )
    }
    return { kind: 'number', value }
  }

  private peek(): Token {
    return present(this.tokens[this.at], 'a token')
  }

  private taken(operand: Operand): Operand {
    this.at++
    return operand
  }

  private takes(word: string): boolean {
    const token = this.peek()
    if (token.kind !== 'word' || token.text !== word) return false
    this.at++
    return true
  }

  private unexpected(wanted: string) {
    const token = this.peek()
    return this.wrong(`expected ${wanted}, found ${describe(token)}`, token.at)
  }

  private wrong(what: string, at: number) {
    return refuse(this.loc, `at character ${at + 1}: ${what}. ${GRAMMAR}`)
  }
}

const ARTICLE = { number: 'a number', boolean: 'a boolean', text: 'a text', time: 'a time' } as const

/**
 * Describes a token for a message. Names and operators are shown as they are, but values only by their type, because they may be health
 * values.
 */
function describe(token: Token): string {
  if (token.kind === 'end') return 'the end'
  if (token.kind === 'text') return 'a quoted text'
  return 'text' in token ? `"${token.text.slice(0, 40)}"` : ARTICLE[token.kind]
}
