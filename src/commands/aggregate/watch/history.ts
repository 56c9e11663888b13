/** `svc aggregate watch history`. */
import { integer, string } from '@oclif/core/flags'
import { tasksView, watchArgument } from '../../../cli/aggregate/watch-view.ts'
import { userArgument } from '../../../cli/arguments/arguments.ts'
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { allFlag } from '../../../cli/runtime/shared-flags.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'

/** Maximum number of runs on a page. */
const MOST_RUNS = 500

export default class AggregateWatchHistory extends WatchedCommand {
  static override summary = 'List the runs of a continuous query for a user, newest first'
  static override examples = toExamples('ada daily-steps', 'ada daily-steps --limit 200 --json')
  static override args = { user: userArgument(), watch: watchArgument() }
  static override flags = {
    limit: integer({ description: 'Maximum number of runs to return, 1 to 500', default: 50 }),
    cursor: string({ description: 'Continue from this cursor', helpValue: 'CURSOR' }),
    all: allFlag('limit'),
  }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(AggregateWatchHistory)
    const limit = flags.all ? MOST_RUNS : flags.limit
    const page = await this.withUser(args.user, user_id =>
      this.printPages(
        flags.all,
        at =>
          this.ask('aggregate.task_history', {
            params: { user_id, query_id_or_slug: args.watch },
            query: { limit, next_cursor: flags.cursor, ...at },
          }),
        ({ data }) => tasksView(data),
      ),
    )
    if (page.next_cursor !== null) this.hint(`More results: add --cursor ${page.next_cursor}`)
  }
}
