/** Analyzes the texts of the store's statements: the rows that they are about, and whether every database would understand them. */
import type { Dialect } from '../../../src/store/logic/dialect.ts'
import type { SqlText } from '../../../src/store/logic/steps.ts'
import { USER_TABLES } from '../../../src/store/tables/catalogue.ts'

/** A dialect for no real database: differences between databases are markers, or something that all of them support. */
const NEUTRAL: Dialect = {
  index: name => `«index ${name}»`,
  blobBytes: column => `«bytes of ${column}»`,
  ownRow: (table, key) => `SELECT «own row» FROM ${table} WHERE ${key.map(name => `${name}=?`).join(' AND ')}`,
  summaryLines: (columns, from) => `SELECT «lines of ${columns.join(' ')}» ${from}`,
  position: (text, part) => `«position of ${part} in ${text}»`,
  jsonText: (column, path) => `«${path} of ${column}»`,
  listed: 'SELECT «listed»',
  aside: column => `«aside» ${column}`,
  lockingRows: '«locking rows»',
  rowKey: ({ key }) => key.join(', '),
  unlessStale: condition => `«unless stale: ${condition}»`,
}

/** Returns a text on one line, with markers in place of differences between databases. */
export function neutral(text: SqlText): string {
  return (typeof text === 'string' ? text : text(NEUTRAL)).replaceAll(/\s+/g, ' ').trim()
}

/** Syntax that only SQLite understands, or that it understands in its own way. */
const OF_ONE_DATABASE: readonly RegExp[] = [
  /\b(?:NOT )?INDEXED\b/i,
  /\bGLOB\b/i,
  /\bjson(?:b|_\w+)?\(/i,
  /\browid\b/i,
  /\b(?:INSERT|UPDATE) OR\b/i,
  /\bREPLACE INTO\b/i,
  /\bPRAGMA\b/i,
  /\bsqlite_\w+/i,
  /\b(?:group_concat|ifnull|iif|instr|typeof|total|printf|strftime|unixepoch|julianday|changes|char|hex|randomblob)\(/i,
  /\?\d/,
  /\? IS (?:NOT )?NULL/i,
  /(?:\bWHERE|\bAND|\bON|\() ?\+/i,
  /\bLIMIT -/i,
  /==|`|\[/,
]

/** Returns what of a neutral text only one database understands. */
export function ofOneDatabase(text: string): string[] {
  const found = OF_ONE_DATABASE.flatMap(pattern => pattern.exec(text)?.[0] ?? [])
  const extremes = findGroups(text).some(({ before, text }) => /\b(?:min|max)$/i.test(before) && text.includes(','))
  return extremes ? [...found, 'min or max of several values'] : found
}

/** The tables whose rows belong to a user. */
const OF_USERS = [...USER_TABLES.map(({ name }) => name), 'job'].join('|')
const TABLE = new RegExp(
  `\\b(?:FROM|JOIN|UPDATE|INTO) "?(${OF_USERS})"?(?![\\w"])(?: AS (\\w+))?(?: (USING \\(user_id\\)))?`,
  'gi',
)
/** The user is known: one value, the empty name of the store's own jobs, or a list. */
const KNOWN = /^(?:= ?(?:\?|'')| IN #)/i

/** Returns the user tables in which a neutral text may change or read the rows of any user. */
export function tablesOfAnyUser(text: string): string[] {
  const plain = unmarked(text)
  const found: string[] = []
  for (const scope of findGroups(`(${plain})`).filter(group =>
    /^(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(group.text),
  ))
    for (const part of scope.text.split(/\b(?:UNION(?: ALL)?|EXCEPT|INTERSECT)\b/i)) found.push(...unboundIn(part))
  return found
}

interface Use {
  readonly table: string
  readonly name: string
}

/** Analyzes one SELECT, INSERT, UPDATE or DELETE, in which `#` replaces each nested statement. */
function unboundIn(scope: string): string[] {
  const into = /^INSERT INTO "?(\w+)"? \(([^()]*)\)/i.exec(scope)
  const rest = into ? scope.slice(into[0].length) : scope
  const uses = [...rest.matchAll(TABLE)].map(([, table, as, using]): Use & { readonly shares: boolean } => ({
    table: table as string,
    name: as ?? (table as string),
    shares: using !== undefined,
  }))
  const conditions = splitConditions(rest)
  const bound = new Set<string>()
  const isBound = ({ name }: Use): boolean => bound.has(name)
  for (const { name } of uses) {
    const column = uses.length === 1 ? `(?:${name}\\.)?` : `${name}\\.`
    if (conditions.some(each => saysUser(each, column))) bound.add(name)
  }
  // a join by the user, from a table whose user is known; such a table may also be outside a subquery
  const outside = (name: string): boolean => !uses.some(use => use.name === name)
  for (const _ of uses)
    for (const condition of conditions) {
      const [, a = '', b = ''] = /^(\w+)\.user_id ?= ?(\w+)\.user_id$/i.exec(condition) ?? []
      if (a !== '' && (bound.has(a) || outside(a))) bound.add(b)
      if (b !== '' && (bound.has(b) || outside(b))) bound.add(a)
    }
  const shared = uses.some(each => each.shares)
  if (shared && (uses.some(isBound) || conditions.some(each => saysUser(each, ''))))
    for (const { name } of uses) bound.add(name)
  const unbound = uses.filter(use => !isBound(use)).map(({ table }) => table)
  const isOfUsers = into && new RegExp(`^(?:${OF_USERS})$`).test(into[1] as string)
  return isOfUsers && !/\buser_id\b/.test(into[2] as string) ? [into[1] as string, ...unbound] : unbound
}

/** Returns whether a condition specifies the user: `user_id=?`, `user_id IN (…)`, or the same of several columns. */
function saysUser(condition: string, column: string): boolean {
  const single = new RegExp(`^${column}user_id`, 'i').exec(condition)
  if (single) return KNOWN.test(condition.slice(single[0].length))
  const several = new RegExp(`^\\((?:\\w+, ?)*${column}user_id(?:, ?\\w+)*\\)`, 'i').exec(condition)
  return several !== null && /^(?: ?= ?\(\?| IN #)/i.test(condition.slice(several[0].length))
}

/** Returns the conditions that every row must meet: the parts that are connected by AND only. */
function splitConditions(scope: string): string[] {
  return scope
    .split(/\b(?:WHERE|ON(?! CONFLICT))\b/i)
    .slice(1)
    .map(part => part.replace(/\b(?:ORDER BY|GROUP BY|LIMIT|RETURNING|ON CONFLICT|(?:LEFT |CROSS )?JOIN)\b.*$/i, ''))
    .flatMap(part => (/\bOR\b/i.test(withoutGroups(part)) ? [] : part.split(/\bAND\b/i)))
    .map(each => each.trim())
}

function withoutGroups(text: string): string {
  const next = text.replaceAll(/\([^()]*\)/g, '')
  return next === text ? text : withoutGroups(next)
}

interface Group {
  readonly before: string
  readonly text: string
}

/** Returns the texts in brackets, innermost first. A nested statement is `#` in the outer one. */
function findGroups(text: string): Group[] {
  const groups: Group[] = []
  const open: { readonly before: string; text: string }[] = [{ before: '', text: '' }]
  for (const char of text) {
    const inner = open.at(-1) as Group & { text: string } // the first one is never closed
    if (char === '(') open.push({ before: inner.text, text: '' })
    else if (char === ')' && open.length > 1) {
      open.pop()
      groups.push(inner)
      const outer = open.at(-1) as { text: string }
      outer.text += /^SELECT\b/i.test(inner.text) ? '#' : `(${inner.text})`
    } else inner.text += char
  }
  return groups
}

function unmarked(text: string): string {
  const next = text.replaceAll(/ ?«[^«»]*»/g, match => (match.includes('listed') ? ' 1' : ''))
  return next === text ? text.replaceAll(/ {2,}/g, ' ') : unmarked(next)
}
