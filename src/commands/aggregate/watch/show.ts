/** `svc aggregate watch show`. */

import { watchArgument, watchView } from '../../../cli/aggregate/watch-view.ts'
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'

export default class AggregateWatchShow extends WatchedCommand {
  static override summary = 'Show a continuous query'
  static override examples = toExamples('daily-steps')
  static override args = { watch: watchArgument() }

  protected override async look(): Promise<void> {
    const { args } = await this.parse(AggregateWatchShow)
    await this.show('continuous_query.get', { params: { query_id_or_slug: args.watch } }, watchView)
  }
}
