/** `svc aggregate watch create`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { refuseAliases } from '../../../cli/aggregate/query.ts'
import { type WatchedQuery, watchFromFile, watchFromFlags } from '../../../cli/aggregate/watch-document.ts'
import { watchView } from '../../../cli/aggregate/watch-view.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { type FlagValues, repeatable } from '../../../cli/runtime/shared-flags.ts'
import { ServiceError } from '../../../core/errors.ts'
import { MINUTE_MS, parseDuration, SECOND_MS } from '../../../core/time.ts'

const LEAST_GAP_MS = 30 * MINUTE_MS

export default class AggregateWatchCreate extends SvcCommand {
  static override summary = 'Create a continuous query, whose result is stored for every user and kept up to date'
  static override description =
    'The query comes from a JSON file (- for stdin) or from flags, and must group by one bucket (--group-by 1d). ' +
    "The query first runs for all users. When a user's data changes, the affected buckets are computed again by `svc " +
    'serve`, by `svc engine run-due`, or when the result is read.'
  static override examples = toExamples(
    "daily-steps --select 'sum(steps)' --group-by 1d",
    'sleep-by-week query.json --title "Sleep, by week" --gap 2h --no-events',
  )
  static override readonly instead = {
    per: 'A continuous query reads stored data only. Only `svc aggregate query` accepts --per. Leave out the outer function.',
  }
  static override args = {
    slug: stringArg({ required: true, description: 'Query name: a-z, 0-9 and -; unique within the team' }),
    query: stringArg({ description: 'File with the query; - reads stdin' }),
  }
  static override flags = {
    title: string({ description: 'Title, up to 50 characters; defaults to the slug', helpValue: 'TEXT' }),
    select: string({
      description: 'Aggregate or column, as in `aggregate query`; can be repeated',
      ...repeatable,
      helpValue: "'sum(steps)'",
    }),
    'group-by': string({
      description: 'Bucket (1h, 1d, 1w), date part or column; can be repeated',
      ...repeatable,
      helpValue: '1d',
    }),
    where: string({ description: 'Condition that rows must meet', helpValue: 'TEXT' }),
    align: string({ description: 'Fill empty buckets, as in `aggregate query`', helpValue: 'MODE[:CAP]' }),
    priority: string({
      description: "Providers to prefer over the team's priorities, best first",
      helpValue: 'SLUG,…',
    }),
    gap: string({
      description: 'Minimum time between two runs for a user; at least 30m',
      default: '30m',
      helpValue: '30m',
    }),
    events: boolean({ description: 'Send an event when a result changes', default: true, allowNo: true }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateWatchCreate)
    // --gap also accepts minutes in the form of a bucket, such as 30min.
    const gapMs = parseDuration(flags.gap.replace(/min$/, 'm'))
    if (gapMs === undefined || gapMs < LEAST_GAP_MS) {
      throw new ServiceError('usage', '--gap must be a duration of at least 30 minutes, such as 30m, 2h or 1d.')
    }
    const query = await this.query(args.query, flags)
    const created = await this.ask('continuous_query.create', {
      body: {
        slug: args.slug,
        title: flags.title ?? args.slug.slice(0, 50),
        ...query,
        scheduling_preferences: { minimum_gap_duration_second: Math.floor(gapMs / SECOND_MS) },
        export_preferences: { data_events: { enabled: flags.events } },
      },
    })
    await this.print(created, watchView(created))
    this.hint(`To read its result for a user: svc aggregate watch result USER ${created.slug}`)
  }

  private async query(
    file: string | undefined,
    flags: FlagValues<typeof AggregateWatchCreate.flags>,
  ): Promise<WatchedQuery> {
    const { select, 'group-by': groupBy = [], where, align, priority } = flags
    const rest = { where, align, priority }
    if (file !== undefined) {
      if (select !== undefined || groupBy.length > 0 || Object.values(rest).some(each => each !== undefined)) {
        throw new ServiceError('usage', 'The query is given both as a file and as flags. Use only one of them.')
      }
      return watchFromFile(file)
    }
    if (select === undefined) {
      throw new ServiceError(
        'usage',
        'There is no query. Give a JSON file, use - for stdin, or give --select and --group-by.',
      )
    }
    await refuseAliases({ select }, "The result of a continuous query uses the service's own names.")
    return watchFromFlags({ select, groupBy, ...rest })
  }
}
