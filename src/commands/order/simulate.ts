/** `svc order simulate`. */
import { boolean, integer, option, string } from '@oclif/core/flags'
import { orderArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { repeatable } from '../../cli/runtime/shared-flags.ts'
import { INTERPRETATIONS, RESULT_TYPES } from '../../contract/orders/order-result.ts'
import { factSheet } from '../../output/view.ts'

export default class OrderSimulate extends SvcCommand {
  static override summary = 'Simulate the progress of a lab order'
  static override description =
    'Without --delay, all states are reached immediately. With --delay N, the order moves to its next state every N ' +
    "seconds of the engine's clock, through `svc serve`, `svc engine run-due`, or when the order is read."
  static override examples = toExamples(
    'ORDER',
    'ORDER --interpretation critical --missing',
    'ORDER --final-status collecting_sample.testkit.with_customer --delay 60',
  )
  static override args = { order: orderArgument() }
  static override flags = {
    'final-status': string({ description: 'Final state; defaults to completed', helpValue: 'STATUS' }),
    delay: integer({ description: 'Seconds between two states', default: 0, helpValue: 'SECONDS' }),
    interpretation: option({ options: INTERPRETATIONS, description: 'Overall result; defaults to normal' })(),
    'result-type': option({
      options: RESULT_TYPES,
      description: 'Result type to report; can be repeated',
      ...repeatable,
    })(),
    missing: boolean({ description: 'Leave one result missing' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrderSimulate)
    const reply = await this.ask('order.simulate', {
      params: { order_id: args.order },
      query: { final_status: flags['final-status'], delay: flags.delay },
      body: {
        interpretation: flags.interpretation,
        result_types: flags['result-type'],
        has_missing_results: flags.missing ? true : undefined,
      },
    })
    const { delay: delay_seconds, ...facts } = reply
    await this.print(reply, factSheet({ ...facts, delay_seconds, statuses: reply.statuses.join('; ') }))
  }
}
