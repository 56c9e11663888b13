/** Parses the column names in `--select 'sum(steps) as total'`; renamed.ts applies them. */
import { usageError } from './aggregate-flag-columns.ts'
import { type Aliases, duplicateColumnError } from './renamed.ts'

const ALIAS = /^([\s\S]*\S)\s+as\s+([^\s()']+)\s*$/i
/** A name cannot begin with a digit, because JSON objects would move such names to the front. */
const NAME = /^[\p{L}_][\p{L}\p{N}_]{0,62}$/u

/** Splits a --select into its item and the name after `as`. Throws ServiceError `usage` for an invalid column name. */
export function splitAlias(text: string): { readonly item: string; readonly alias: string | undefined } {
  const [, item = text, alias] = ALIAS.exec(text) ?? []
  if (alias !== undefined && !NAME.test(alias)) {
    throw usageError(
      '--select: the name after "as" must begin with a letter or _, and contain only letters, digits and _, at most 63 of them.',
    )
  }
  return { item: item.trim(), alias }
}

/**
 * Returns the names from --select, or undefined if there are none. `keys` is the number of --group-by flags. Their keys come first unless a
 * --select names them. Throws ServiceError `usage` for a repeated name.
 */
export function parseAliases(select: readonly string[], keys: number): Aliases | undefined {
  const items = select.map(splitAlias)
  const aliases = items.flatMap(({ item, alias }) => {
    if (item !== 'group_key.*') return [alias]
    if (alias !== undefined) throw usageError('--select: group_key.* can be several columns, so it cannot have a name.')
    return new Array<undefined>(keys).fill(undefined)
  })
  const given = aliases.filter(alias => alias !== undefined)
  if (given.length === 0) return undefined
  const twice = given.find((alias, i) => given.indexOf(alias) < i)
  if (twice !== undefined) throw duplicateColumnError(twice)
  const isImplicit = !items.some(({ item }) => item.startsWith('group_key.'))
  return isImplicit ? [...new Array<undefined>(keys).fill(undefined), ...aliases] : aliases
}

/** Throws ServiceError `usage` if a --select renames a column; `why` is the reason in the message. */
export function checkNoAliases(select: readonly string[], why: string): void {
  if (select.some(text => splitAlias(text).alias !== undefined)) {
    throw usageError(`--select: leave out the name after "as". ${why}`)
  }
}
