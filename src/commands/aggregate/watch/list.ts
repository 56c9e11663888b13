/** `svc aggregate watch list`. */

import { watchesView } from '../../../cli/aggregate/watch-view.ts'
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'

export default class AggregateWatchList extends WatchedCommand {
  static override summary = 'List continuous queries, oldest first'
  static override examples = toExamples('', '--json')

  protected override async look(): Promise<void> {
    await this.show('continuous_query.list', {}, ({ continuous_queries }) => watchesView(continuous_queries))
  }
}
