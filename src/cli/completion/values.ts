/** Values of each source. They come from the service that the command line selects, from the profiles, or from data that ships with svc. */
import type { ResponseOf, ServiceClient } from '../../client/client.ts'
import type { CallerInput } from '../../contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../contract/operations.ts'

export interface Candidate {
  readonly value: string
  readonly description?: string | undefined
}

/** Input of a function that reads values. `call` throws for a response that is not JSON. */
interface CompletionRequest {
  readonly typed: string
  call<K extends OperationId>(id: K, input: CallerInput<Operations[K]>): Promise<ResponseOf<K>>
}

type Reader = (request: CompletionRequest) => Promise<readonly Candidate[]>

/** Maximum number of users that a server lists at once. */
const PAGE = 500

const READERS = {
  users: userNames,
  providers: async ({ call }) =>
    (await call('provider.list', {})).map(({ slug, name }) => ({ value: slug, description: name })),
  'live-providers': async () => plain((await import('../../connectors/live/live-connectors.ts')).LIVE_PROVIDERS),
  endpoints: async ({ call }) =>
    (await call('webhook.list', {})).endpoints.map(({ endpoint_id, url }) => ({
      value: endpoint_id,
      description: urlHost(url),
    })),
  'event-types': async ({ call }) =>
    (await call('event.types', {})).data.map(({ type, description }) => ({ value: type, description })),
  snapshots: async ({ call }) =>
    (await call('snapshot.list', {})).snapshots.map(({ name, saved_at }) => ({
      value: name,
      description: saved_at,
    })),
  teams: async ({ call }) =>
    (await call('team.list', {})).teams.map(({ name, team_id }) => ({ value: name, description: team_id })),
  keys: async ({ call }) =>
    (await call('key.list', {})).keys.map(({ key_id, label }) => ({ value: key_id, description: label ?? undefined })),
  watches: async ({ call }) =>
    (await call('continuous_query.list', {})).continuous_queries.map(({ slug, title }) => ({
      value: slug,
      description: title,
    })),
  orders: async ({ call }) => (await call('order.list', { query: {} })).orders.map(({ id }) => ({ value: id })),
  imports: async ({ call }) =>
    (await call('import.list', { query: {} })).imports.map(({ import_id, format }) => ({
      value: import_id,
      description: format,
    })),
  'lab-tests': async ({ call }) =>
    (await call('labs.tests', { query: { lab_test_limit: PAGE, generation_method: 'all' } })).data.map(
      ({ slug, name }) => ({ value: slug, description: name }),
    ),
  profiles: async () => {
    const { readProfileFile } = await import('../../profile/profile-file.ts')
    return Object.entries(readProfileFile().profiles).map(([value, { baseUrl }]) => ({
      value,
      description: baseUrl === undefined ? 'embedded engine' : urlHost(baseUrl),
    }))
  },
  resources: async () => {
    const { RESOURCES } = await import('../../catalogue/resources.ts')
    return RESOURCES.map(({ name, meaning }) => ({ value: name, description: meaning }))
  },
  summaries: async () => plain((await import('../../core/sample.ts')).SUMMARY_KINDS),
  'source-types': async () => plain((await import('../../catalogue/source-types.ts')).SOURCE_TYPES),
  formats: async () => {
    const { IMPORTERS } = await import('../../connectors/files/formats.ts')
    return IMPORTERS.map(({ format, title }) => ({ value: format, description: title }))
  },
  zones: async () => plain(Intl.supportedValuesOf('timeZone')),
  shells: async () => plain((await import('./shells.ts')).SHELLS),
  methods: async () => plain(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  operations: async () => {
    const { operations } = await import('../../contract/operations.ts')
    return Object.entries(operations).map(([value, { summary }]) => ({ value, description: summary }))
  },
  paths: async () => {
    const { operations } = await import('../../contract/operations.ts')
    return plain([...new Set(Object.values(operations).map(({ path }) => path))])
  },
  tables: async () => {
    const { LISTED_TABLES, QUERY_RESOURCES } = await import('../../catalogue/query-columns.ts')
    return [
      ...LISTED_TABLES.map(({ table, meaning }) => ({ value: table, description: meaning })),
      ...QUERY_RESOURCES.map(({ queryName, meaning }) => ({ value: queryName, description: meaning })),
    ]
  },
  columns: queryColumns,
  selects: async () => {
    const { AGGREGATE_FUNCTIONS } = await import('../../catalogue/query-functions.ts')
    const columns = await queryColumns()
    const calls = AGGREGATE_FUNCTIONS.flatMap(({ name }) =>
      columns.map(({ value, description }) => ({ value: `${name}(${value})`, description })),
    )
    return [...columns, ...calls]
  },
} satisfies Readonly<Record<string, Reader>>

/** A kind of value. `files` and `folders` are completed by the shell; `none` is any text. */
export type ValueSource = keyof typeof READERS | 'files' | 'folders' | 'none'

/** Returns the values that start with the typed text. Throws if the service does not respond. */
export async function completeValues(
  source: ValueSource,
  typed: string,
  open: () => Promise<ServiceClient>,
): Promise<readonly Candidate[]> {
  if (source === 'files' || source === 'folders' || source === 'none') return []
  const read: Reader = READERS[source]
  let opened: ServiceClient | undefined
  try {
    const found = await read({
      typed,
      async call(id, input) {
        opened ??= await open()
        const reply = await opened.call(id, input)
        if (reply.kind !== 'json') throw new Error(`the response to ${id} is not JSON`)
        return reply.body
      },
    })
    return found.filter(({ value }) => value.startsWith(typed))
  } finally {
    await opened?.close()
  }
}

/** Offers IDs only if no name starts with the typed text, because nobody chooses from a list of IDs. */
async function userNames({ typed, call }: CompletionRequest): Promise<readonly Candidate[]> {
  try {
    const names = await call('user.names', { query: typed === '' ? {} : { starts_with: typed } })
    return plain(names.client_user_ids.length > 0 || typed === '' ? names.client_user_ids : names.user_ids)
  } catch {
    // other servers do not have this operation
    const { users } = await call('user.list', { query: { limit: PAGE, offset: 0 } })
    const byName = users.map(each => each.client_user_id).filter(name => name.startsWith(typed))
    return plain(byName.length > 0 ? byName : users.map(each => each.user_id))
  }
}

/** Returns the columns of all tables, as flags name them. A column of the timeseries table is a resource. */
async function queryColumns(): Promise<readonly Candidate[]> {
  const { LISTED_TABLES, listedColumns, QUERY_RESOURCES } = await import('../../catalogue/query-columns.ts')
  const tables = LISTED_TABLES.map(({ table }) => table).filter(table => table !== 'timeseries')
  return [
    ...QUERY_RESOURCES.map(({ queryName, meaning }) => ({ value: queryName, description: meaning })),
    ...tables.flatMap(table =>
      listedColumns(table).map(({ column, meaning }) => ({ value: `${table}.${column}`, description: meaning })),
    ),
  ]
}

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map(value => ({ value }))
}

/** Returns the host of a URL. The other parts may be secret. */
function urlHost(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined
}
