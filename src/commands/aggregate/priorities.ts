/** `svc aggregate priorities`. */
import { string } from '@oclif/core/flags'
import { priorityView } from '../../cli/aggregate/sources/priority-view.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'

export default class AggregatePriorities extends WatchedCommand {
  static override summary = "List the team's source priorities"
  static override description =
    'Each group of an aggregate query uses only one source: the one with the best source type and, among equal ' +
    "types, the highest provider priority. A row without a source type applies to all of the provider's source types."
  static override examples = toExamples('', '--data-type sleep', 'set sleep oura=2 garmin:watch=1')
  static override flags = {
    'data-type': string({
      description: 'Only this data type: workouts, activity, sleep, body or timeseries',
      helpValue: 'TYPE',
    }),
  }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(AggregatePriorities)
    await this.show('source_priority.list', { query: { data_type: flags['data-type'] } }, priorityView)
  }
}
