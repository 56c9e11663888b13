/** `svc order result`. */
import { boolean } from '@oclif/core/flags'
import { orderArgument } from '../../cli/arguments/arguments.ts'
import { resultView } from '../../cli/orders/order-view.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { factSheet } from '../../output/view.ts'

export default class OrderResult extends SvcCommand {
  static override summary = 'Show the results of a lab order'
  static override description =
    'The flag column rates each result: H above the range, L below it, HH or LL critical, A abnormal text result, N ' +
    'normal.'
  static override examples = toExamples('ORDER', 'ORDER --metadata', 'ORDER --output csv')
  static override args = { order: orderArgument() }
  static override flags = { metadata: boolean({ description: 'Show only the metadata of the report' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrderResult)
    const params = { order_id: args.order }
    if (flags.metadata) {
      return void (await this.show('order.result_metadata', { params }, factSheet))
    }
    const result = await this.show('order.result', { params }, resultView)
    const { laboratory, date_reported: reported, status, interpretation } = result.metadata
    if (this.format === 'table') this.hint(`${laboratory}, ${reported}: ${status}, ${interpretation}`)
  }
}
