/** Converts between the two spellings of field names: `team_id` in a row, `teamId` in a record. */

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** A row with a record's field names. */
export type AsRecord<Row> = { readonly [Name in keyof Row & string as CamelCase<Name>]: Row[Name] }
/** A record with a row's field names. */
export type AsRow<Fields> = { readonly [Name in keyof Fields & string as SnakeCase<Name>]: Fields[Name] }

/** Returns a row's fields with a record's field names. */
export function asRecord<Row extends object>(row: Row): AsRecord<Row> {
  return renamed(row, camelCase) as AsRecord<Row>
}

/** Returns a record's fields with a row's field names. */
export function asRow<Fields extends object>(record: Fields): AsRow<Fields> {
  return renamed(record, snakeCase) as AsRow<Fields>
}

export const camelCase = remembering(name => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()))
const snakeCase = remembering(name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))

function renamed(from: object, rename: (name: string) => string): unknown {
  const to: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(from)) to[rename(name)] = value
  return to
}

/** Caches the conversion, because there are few names and they are the same for every row. */
function remembering(rename: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>()
  return name => {
    const found = known.get(name) ?? rename(name)
    known.set(name, found)
    return found
  }
}
