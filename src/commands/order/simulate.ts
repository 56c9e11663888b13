/** `svc order simulate`. */
import { boolean, integer, option, string } from '@oclif/core/flags'
import { orderArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { INTERPRETATIONS, RESULT_TYPES } from '../../contract/orders/order-result.ts'
import { factSheet } from '../../output/view.ts'

export default class OrderSimulate extends SvcCommand {
  static override summary = 'Take a lab order through its states, up to its results'
  static override description =
    'Without --delay all states are reached at once; with it one every so many seconds of the engine’s clock, by `svc serve`, by ' +
    '`svc engine run-due`, or when the order is read.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> ORDER',
    '<%= config.bin %> <%= command.id %> ORDER --interpretation critical --missing',
    '<%= config.bin %> <%= command.id %> ORDER --final-status collecting_sample.testkit.with_customer --delay 60',
  ]
  static override args = { order: orderArgument() }
  static override flags = {
    'final-status': string({ description: 'where it ends; completed when left out', helpValue: 'STATUS' }),
    delay: integer({ description: 'seconds between two states', default: 0 }),
    interpretation: option({ options: INTERPRETATIONS, description: 'how the results lie; normal when left out' })(),
    'result-type': option({
      options: RESULT_TYPES,
      description: 'how results are reported; repeat it for more',
      multiple: true,
      multipleNonGreedy: true,
    })(),
    missing: boolean({ description: 'one result is missing' }),
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
