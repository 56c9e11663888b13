/** `svc order cancel`. */
import { orderArgument } from '../../cli/arguments/arguments.ts'
import { orderFacts } from '../../cli/orders/order-view.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { factSheet } from '../../output/view.ts'

export default class OrderCancel extends SvcCommand {
  static override summary = 'Cancel a lab order'
  static override description =
    'An order can be cancelled until its test kit is shipped, or, without a kit, until the lab reports on the sample.'
  static override examples = toExamples('3f0e6a52-1c7b-8d9e-a4f5-0b1c2d3e4f50')
  static override args = { order: orderArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(OrderCancel)
    await this.show('order.cancel', { params: { order_id: args.order } }, ({ order }) => factSheet(orderFacts(order)))
  }
}
