/** `svc aggregate sources set`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import { METRIC_GROUPS } from '../../../catalogue/metric-groups.ts'
import { parseSource, SOURCE_FORMS, sourceOrderView } from '../../../cli/aggregate/sources/source-order.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { ServiceError } from '../../../core/errors.ts'

export default class AggregateSourcesSet extends SvcCommand {
  static override summary = 'Replace the order of sources in merges for a group of metrics'
  static override description =
    'Sources that fit none of the given ones come after all that do. Queries with --merge use the new order immediately.'
  static override examples = toExamples(
    'sleep oura:ring watch',
    'steps garmin apple_health_kit:phone --user ada',
    'workouts apple_health_kit:watch+app=com.example.run watch',
    'sleep --clear',
  )
  static override args = {
    group: stringArg({ required: true, description: `Group of metrics: ${METRIC_GROUPS.join(', ')}` }),
    source: stringArg({ description: `Source, best first: ${SOURCE_FORMS}; can be repeated`, multiple: true }),
  }
  static override flags = {
    user: string({ description: 'Set the order of this user instead of the team', helpValue: 'USER' }),
    clear: boolean({ description: 'Remove the order for the group' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateSourcesSet)
    const given = [args.source ?? []].flat()
    if (given.length === 0 && !flags.clear)
      throw new ServiceError('usage', 'No source is given. Give at least one, or --clear to remove the order.')
    if (given.length > 0 && flags.clear) throw new ServiceError('usage', '--clear and sources cannot be used together.')
    const body = { sources: given.map(parseSource) }
    const metric_group = args.group as (typeof METRIC_GROUPS)[number] // the service refuses other names
    const show = (user_id?: string) =>
      this.show('source_order.replace', { params: { metric_group }, query: { user_id }, body }, ({ source_orders }) =>
        sourceOrderView(source_orders),
      )
    if (flags.user === undefined) await show()
    else await this.withUser(flags.user, show)
  }
}
