/** `svc order get`. */
import { orderArgument } from '../../cli/arguments/arguments.ts'
import { orderFacts } from '../../cli/orders/order-view.ts'
import { examplesOf, SvcCommand } from '../../cli/runtime/base-command.ts'
import { watchFlags } from '../../cli/runtime/shared-flags.ts'
import { factSheet } from '../../output/view.ts'

export default class OrderGet extends SvcCommand {
  static override summary = 'Show a lab order'
  static override examples = examplesOf('3f0e6a52-1c7b-8d9e-a4f5-0b1c2d3e4f50')
  static override args = { order: orderArgument() }
  static override flags = watchFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrderGet)
    await this.repeat(flags, async () => {
      await this.show('order.get', { params: { order_id: args.order } }, order => factSheet(orderFacts(order)))
    })
  }
}
