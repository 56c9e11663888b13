/** `svc aggregate priorities`. */
import { string } from '@oclif/core/flags'
import { priorityView } from '../../cli/aggregate/priority-view.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'

export default class AggregatePriorities extends SvcCommand {
  static override summary = "List the team's source priorities"
  static override description =
    'In each group of an aggregate query only one source is used: the one with the best source type, then the ' +
    'provider with the higher priority. A row without a source type applies to all source types of the provider.'
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --data-type sleep',
    '<%= config.bin %> <%= command.id %> set sleep oura=2 garmin:watch=1',
  ]
  static override flags = {
    'data-type': string({
      description: 'Only this data type: workouts, activity, sleep, body or timeseries',
      helpValue: 'TYPE',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(AggregatePriorities)
    const rows = await this.ask('source_priority.list', { query: { data_type: flags['data-type'] } })
    await this.print(rows, priorityView(rows))
  }
}
