/** `svc aggregate watch list`. */

import { watchesView } from '../../../cli/aggregate/watch-view.ts'
import { examplesOf, SvcCommand } from '../../../cli/runtime/base-command.ts'

export default class AggregateWatchList extends SvcCommand {
  static override summary = 'List continuous queries, oldest first'
  static override examples = examplesOf('', '--json')

  async run(): Promise<void> {
    await this.parse(AggregateWatchList)
    await this.show('continuous_query.list', {}, ({ continuous_queries }) => watchesView(continuous_queries))
  }
}
