/** `svc aggregate priorities set`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { priorityRow, priorityView } from '../../../cli/aggregate/sources/priority-view.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { ServiceError } from '../../../core/errors.ts'

export default class AggregatePrioritiesSet extends SvcCommand {
  static override summary = "Replace the team's source priorities for a data type"
  static override description =
    'Providers that you do not list lose their priority. The highest number wins. Aggregate queries use the new ' +
    'priorities immediately; continuous queries run again.'
  static override examples = toExamples('sleep oura=2 garmin:watch=1', 'sleep --clear')
  static override args = {
    type: stringArg({ required: true, description: 'Data type: workouts, activity, sleep, body or timeseries' }),
    priority: stringArg({
      description: 'Priority as PROVIDER=NUMBER or PROVIDER:SOURCE_TYPE=NUMBER; can be repeated',
      multiple: true,
    }),
  }
  static override flags = { clear: boolean({ description: 'Remove all priorities for the data type' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregatePrioritiesSet)
    const given = [args.priority ?? []].flat()
    if (given.length === 0 && !flags.clear) {
      throw new ServiceError(
        'usage',
        'No priority is given. Give PROVIDER=NUMBER, or --clear to remove all priorities.',
      )
    }
    if (given.length > 0 && flags.clear)
      throw new ServiceError('usage', '--clear and priorities cannot be used together.')
    const body = given.map(text => priorityRow(args.type, text))
    await this.show('source_priority.replace', { query: { data_type: args.type }, body }, priorityView)
  }
}
