/** `svc aggregate priorities`. */
import { string } from '@oclif/core/flags'
import { priorityView } from '../../cli/aggregate/priority-view.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'

export default class AggregatePriorities extends SvcCommand {
  static override summary = 'List the team’s source priorities'
  static override description =
    'Inside a group of an aggregate query one source counts: the best source type; among equal ones the provider with the ' +
    'larger priority here. A row without a source type is for all of the provider.'
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --data-type sleep',
    '<%= config.bin %> <%= command.id %> set sleep oura=2 garmin:watch=1',
  ]
  static override flags = {
    'data-type': string({
      description: 'only of this one: workouts, activity, sleep, body or timeseries',
      helpValue: 'TYPE',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(AggregatePriorities)
    const rows = await this.ask('source_priority.list', { query: { data_type: flags['data-type'] } })
    await this.print(rows, priorityView(rows))
  }
}
