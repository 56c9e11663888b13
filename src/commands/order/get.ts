/** `svc order get`. */
import { orderArgument } from '../../cli/arguments/arguments.ts'
import { orderFacts } from '../../cli/orders/order-view.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { factSheet } from '../../output/view.ts'

export default class OrderGet extends WatchedCommand {
  static override summary = 'Show a lab order'
  static override examples = toExamples('3f0e6a52-1c7b-8d9e-a4f5-0b1c2d3e4f50')
  static override args = { order: orderArgument() }

  protected override async look(): Promise<void> {
    const { args } = await this.parse(OrderGet)
    await this.show('order.get', { params: { order_id: args.order } }, order => factSheet(orderFacts(order)))
  }
}
