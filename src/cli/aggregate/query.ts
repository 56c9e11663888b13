/** Reads the query of the aggregate commands from a file with the whole request body, or builds it from flags. */
import { boolean, string } from '@oclif/core/flags'
import { MIXED_KINDS } from '../../catalogue/kinds.ts'
import type { ServiceClient } from '../../client/client.ts'
import type { QueryBatchInput } from '../../contract/aggregates/aggregate.ts'
import { ServiceError } from '../../core/errors.ts'
import { dateReader } from '../arguments/dates.ts'
import { withUser } from '../arguments/user-argument.ts'
import { WHEN_HELP } from '../arguments/when.ts'
import { type FlagValues, repeatable } from '../runtime/shared-flags.ts'
import { readQuery } from './query-document.ts'
import type { Aliases } from './renamed.ts'

/** Flags that can build the same queries as a file, but only one query at a time. */
export const queryFlags = {
  select: string({
    description: "Column, or function such as 'mean(sleep.efficiency)', with 'as NAME' to rename it; can be repeated",
    ...repeatable,
    helpValue: "'mean(sleep.efficiency)'",
  }),
  'group-by': string({
    description: 'Bucket (15min, 1h, 1d, 1w, 3mo, 1y), date part (weekday) or column; can be repeated',
    ...repeatable,
    helpValue: '1d',
  }),
  per: string({
    description:
      "First compute the inner functions per bucket or column, as in --select 'mean(sum(steps))' --per 1d; can be repeated",
    ...repeatable,
    helpValue: '1d',
  }),
  where: string({ description: 'Condition that rows must meet', helpValue: 'TEXT' }),
  past: string({
    description: 'Length of the timeframe that ends at the anchor; required without a file',
    helpValue: '8w',
  }),
  anchor: string({
    description: `Last day of the timeframe (the anchor): ${WHEN_HELP}; defaults to today in the user's time zone`,
    helpValue: 'DATE',
  }),
  align: string({
    description: 'Fill empty buckets from the previous, next or nearest one, optionally up to a maximum distance',
    helpValue: 'forward:14d',
  }),
  priority: string({
    description: 'Providers to prefer among sources of the same type, best first; with --merge, among all sources',
    helpValue: 'oura,garmin',
  }),
  merge: boolean({
    description:
      'Merge sources: count each moment of an amount once, use one source a day for levels, and show each night or workout as one row. Without it, the team decides (`svc engine team set --merge`)',
    allowNo: true,
  }),
  'mixed-kinds': string({
    description:
      'What to do if a number would mix kinds of values, such as two statistics of HRV: warn, split into one group per kind, or refuse',
    options: [...MIXED_KINDS],
    helpValue: MIXED_KINDS.join('|'),
  }),
}

type QueryFlagValues = FlagValues<typeof queryFlags>

/** Returns the request body. Requests the anchor's day only after checking all other flags. Throws ServiceError `usage`. */
export async function buildQueryBatch(
  file: string | undefined,
  flags: QueryFlagValues,
  day: (anchor: string) => Promise<string>,
): Promise<QueryBatchInput> {
  const { select, 'group-by': groupBy, per, where, past, anchor, align, priority } = flags
  const { merge } = flags
  const mixedKinds = MIXED_KINDS.find(each => each === flags['mixed-kinds'])
  if (file !== undefined) {
    const others = { per, where, past, anchor, align, priority, merge, 'mixed-kinds': mixedKinds }
    const given = Object.entries({ select, 'group-by': groupBy, ...others })
    const names = given.filter(([, value]) => value !== undefined).map(([name]) => `--${name}`)
    if (names.length === 0) return readQuery(file)
    throw new ServiceError(
      'usage',
      `The query is given both as a file and as flags: ${names.join(', ')}. Use only one of them.`,
      {
        suggestions: ['--print-query prints the query from the flags as JSON, which you can save and edit.'],
      },
    )
  }
  if (select === undefined) {
    throw new ServiceError(
      'usage',
      'There is no query. Give a JSON file, use - for stdin, or give --select and --past.',
    )
  }
  if (past === undefined)
    throw new ServiceError('usage', '--past is missing. Give the length of the timeframe, such as 7d or 8w.')
  const { queryFromFlags } = await import('./aggregate-flags.ts')
  const given = { select, groupBy: groupBy ?? [], per, where, past, align, priority, merge, mixedKinds }
  queryFromFlags({ ...given, anchor: '2000-01-01' })
  return queryFromFlags({ ...given, anchor: await day(anchor ?? 'today') })
}

/** Returns the day of --anchor in the user's time zone, or in UTC if there is no user. Throws any error of the calls. */
export function anchorDay(client: ServiceClient, user: string | undefined, anchor: string): Promise<string> {
  if (user === undefined) return dateReader(client)('last day', '--anchor', anchor)
  return withUser(client, user, user_id => dateReader(client, user_id)('last day', '--anchor', anchor))
}

/** Returns the column names from --select; undefined if there are none. Throws ServiceError `usage`. */
export async function aliasesFromFlags({ select, 'group-by': keys }: QueryFlagValues): Promise<Aliases | undefined> {
  if (select === undefined) return undefined
  const { parseAliases } = await import('./aggregate-flag-alias.ts')
  return parseAliases(select, keys?.length ?? 0)
}

/** Throws ServiceError `usage` if --select sets a column name where it has no effect; `why` is the reason. */
export async function refuseAliases(
  { select = [] }: { readonly select: readonly string[] | undefined },
  why: string,
): Promise<void> {
  const { checkNoAliases } = await import('./aggregate-flag-alias.ts')
  checkNoAliases(select, why)
}

/**
 * Returns the user of a query and its file. With --all-users there is no USER, and the file is the first argument. Throws ServiceError
 * `usage`.
 */
export function resolveUserAndFile(
  args: { readonly user: string | undefined; readonly query: string | undefined },
  isForAll: boolean,
): { readonly user: string | undefined; readonly file: string | undefined } {
  if (!isForAll && args.user === undefined) {
    throw new ServiceError('usage', 'Missing USER.', {
      suggestions: ['Give a user_id or client_user_id, or use --all-users -o FOLDER for a dataset of all users.'],
    })
  }
  if (!isForAll) return { user: args.user, file: args.query }
  if (args.query === undefined) return { user: undefined, file: args.user }
  throw new ServiceError('usage', '--all-users and USER cannot be used together. Give only the query file.')
}

/** Returns the number of queries in a body; 1 if `queries` is not a list, because the service then reports the problem. */
export function queryCount(batch: QueryBatchInput): number {
  return Array.isArray(batch.queries) ? batch.queries.length : 1
}
