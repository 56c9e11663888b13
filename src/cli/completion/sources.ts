/** Sources of argument and flag values, by name. */
import type { Word } from './manifest.ts'
import type { ValueSource } from './values.ts'

/** A comma-separated list of values, such as `oura,garmin`. */
interface List {
  readonly elements: ValueSource
}

/**
 * Sources by name, or by topic or command ID and name. The longest matching entry applies, so `engine:snapshot/name` is the name of an
 * existing snapshot and `engine:snapshot:save/name` is a new name.
 */
const ARGUMENTS: Readonly<Record<string, ValueSource | List>> = {
  user: 'users',
  provider: 'providers',
  'provider:setup/provider': 'live-providers',
  'provider:status/provider': 'live-providers',
  'provider:teardown/provider': 'live-providers',
  resource: 'resources',
  'summary/resource': 'summaries',
  table: 'tables',
  query: 'files',
  file: 'files',
  endpoint: 'endpoints',
  team: 'teams',
  watch: 'watches',
  order: 'orders',
  test: 'lab-tests',
  key: 'keys',
  import_id: 'imports',
  path: 'paths',
  method: 'methods',
  'profile/name': 'profiles',
  'engine:snapshot/name': 'snapshots',
  'engine:snapshot:save/name': 'none',
  'event/type': 'event-types',
  'completion/shell': 'shells',
}

const FLAGS: Readonly<Record<string, ValueSource | List>> = {
  profile: 'profiles',
  resource: 'resources',
  provider: 'providers',
  filter: 'providers',
  priority: { elements: 'providers' },
  diff: { elements: 'providers' },
  select: 'selects',
  where: 'columns',
  'group-by': 'columns',
  'event-type': 'event-types',
  events: { elements: 'event-types' },
  'event/type': 'event-types',
  'webhook/type': 'event-types',
  'source-type': 'source-types',
  format: 'formats',
  operation: 'operations',
}

/** Sources of flags without an entry above. */
const HELP_VALUES: Readonly<Record<string, ValueSource>> = {
  USER: 'users',
  SLUG: 'providers',
  ENDPOINT: 'endpoints',
  TEAM: 'teams',
  TEST: 'lab-tests',
  ZONE: 'zones',
  FILE: 'files',
  'FILE.parquet': 'files',
  FOLDER: 'folders',
  DIR: 'folders',
  'DIR|URL': 'folders',
}

/** Returns the source of a command's argument. */
export function argumentSource(id: string, { name }: Word): ValueSource | List {
  return nearest(ARGUMENTS, id, name) ?? 'none'
}

/** Returns the source of a flag's value. */
export function flagSource(id: string, { name, helpValue }: Word): ValueSource | List {
  return nearest(FLAGS, id, name) ?? HELP_VALUES[helpValue ?? ''] ?? 'none'
}

function nearest(
  table: Readonly<Record<string, ValueSource | List>>,
  id: string,
  name: string,
): ValueSource | List | undefined {
  const words = id.split(':')
  for (let length = words.length; length > 0; length--) {
    const found = table[`${words.slice(0, length).join(':')}/${name}`]
    if (found !== undefined) return found
  }
  return table[name]
}
