/** `svc aggregate sources`. */
import { string } from '@oclif/core/flags'
import { sourceOrderView } from '../../cli/aggregate/sources/source-order.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'

export default class AggregateSources extends WatchedCommand {
  static override summary = 'List the order of sources in merges'
  static override description =
    "A merge ranks sources by the user's order, then by the team's order and source priorities, and then by their " +
    'types. There is one order for each group of metrics.'
  static override examples = toExamples('', '--user ada', 'set sleep oura:ring watch', 'set steps --user ada garmin')
  static override flags = { user: string({ description: "Also list this user's orders", helpValue: 'USER' }) }

  protected override async look(): Promise<void> {
    const { flags } = await this.parse(AggregateSources)
    const show = (user_id?: string) =>
      this.show('source_order.list', { query: { user_id } }, ({ source_orders }) => sourceOrderView(source_orders))
    if (flags.user === undefined) await show()
    else await this.withUser(flags.user, show)
  }
}
