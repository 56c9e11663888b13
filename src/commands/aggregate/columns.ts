/** `svc aggregate columns`. */
import { string as stringArg } from '@oclif/core/args'
import { columnsView, tablesView } from '../../cli/aggregate/columns-view.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'

export default class AggregateColumns extends SvcCommand {
  static override summary = 'List the tables a query can read, or the columns of one table'
  static override description =
    'In flags, write a column as table.column (sleep.efficiency). Lists need a function, as in ' +
    'count(menstrual_cycle.menstrual_flow). TABLE can also be a timeseries resource such as glucose, to list its ' +
    'fields.'
  static override examples = toExamples('', 'sleep', 'glucose --output csv')
  static override args = {
    table: stringArg({ description: 'Table such as sleep, or timeseries resource such as glucose' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(AggregateColumns)
    if (args.table === undefined) {
      const { body, view } = tablesView()
      return this.print(body, view)
    }
    const { body, view } = columnsView(args.table)
    await this.print(body, view)
  }
}
