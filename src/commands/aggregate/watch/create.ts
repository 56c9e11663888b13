/** `svc aggregate watch create`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { type WatchedQuery, watchFromFile, watchFromFlags } from '../../../cli/aggregate/watch-document.ts'
import { watchView } from '../../../cli/aggregate/watch-view.ts'
import { SvcCommand } from '../../../cli/runtime/base-command.ts'
import { ServiceError } from '../../../core/errors.ts'
import { MINUTE_MS, parseDuration, SECOND_MS } from '../../../core/time.ts'

const LEAST_GAP_MS = 30 * MINUTE_MS

export default class AggregateWatchCreate extends SvcCommand {
  static override summary = 'Create a continuous query: its result is kept for every user and follows the data'
  static override description =
    'The query is a JSON file (- for stdin) or is made of flags; it groups by one bucket (--group-by 1d). It is run for all ' +
    'users at first, then again for a user whose data change: the buckets that they reach. `svc serve` does it, `svc engine ' +
    'run-due`, or whoever reads the result.'
  static override examples = [
    "<%= config.bin %> <%= command.id %> daily-steps --select 'sum(steps)' --group-by 1d",
    '<%= config.bin %> <%= command.id %> sleep-by-week query.json --title "Sleep, by week" --gap 2h --no-events',
  ]
  static override args = {
    slug: stringArg({ required: true, description: 'its name: a-z, 0-9 and -; unique in the team' }),
    query: stringArg({ description: 'file with the query; - for stdin' }),
  }
  static override flags = {
    title: string({ description: 'up to 50 characters; the slug when left out', helpValue: 'TEXT' }),
    select: string({
      description: 'as in aggregate query; repeat it for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: "'sum(steps)'",
    }),
    'group-by': string({
      description: 'a bucket (1h, 1d, 1w), a part or a column; repeat it for more',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: '1d',
    }),
    where: string({ description: 'a condition that rows must meet', helpValue: 'TEXT' }),
    align: string({ description: 'carry values into empty buckets, as in aggregate query', helpValue: 'MODE[:CAP]' }),
    priority: string({
      description: 'providers that outrank the team priorities, the best first',
      helpValue: 'SLUG,…',
    }),
    gap: string({
      description: 'least time between two runs for a user: 30m or more',
      default: '30m',
      helpValue: '30m',
    }),
    events: boolean({ description: 'record an event when a result changes', default: true, allowNo: true }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateWatchCreate)
    const { select, 'group-by': groupBy = [], where, align, priority, gap } = flags
    // a bucket of minutes is written 15min
    const gapMs = parseDuration(gap.replace(/min$/, 'm'))
    if (gapMs === undefined || gapMs < LEAST_GAP_MS) {
      throw new ServiceError('usage', '--gap is a duration of at least 30 minutes, such as 30m, 2h or 1d.')
    }
    const query = await this.query(args.query, { select, groupBy, where, align, priority })
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
    this.hint(`Its result for a user: svc aggregate watch result USER ${created.slug}`)
  }

  private async query(file: string | undefined, flags: GivenFlags): Promise<WatchedQuery> {
    const { select, groupBy, ...rest } = flags
    if (file !== undefined) {
      if (select !== undefined || groupBy.length > 0 || Object.values(rest).some(each => each !== undefined)) {
        throw new ServiceError('usage', 'The query is a file or is made of flags, not both.')
      }
      return watchFromFile(file)
    }
    if (select === undefined) {
      throw new ServiceError(
        'usage',
        'There is no query: name a JSON file, - for stdin, or give --select and --group-by.',
      )
    }
    return watchFromFlags({ select, groupBy, ...rest })
  }
}

interface GivenFlags {
  readonly select: string[] | undefined
  readonly groupBy: readonly string[]
  readonly where: string | undefined
  readonly align: string | undefined
  readonly priority: string | undefined
}
