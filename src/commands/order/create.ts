/** `svc order create`. */
import { boolean, string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { buildOrderRequest, orderDocument, orderFlags } from '../../cli/orders/order-request.ts'
import { orderFacts } from '../../cli/orders/order-view.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { factSheet } from '../../output/view.ts'

export default class OrderCreate extends SvcCommand {
  static override summary = 'Place a lab order'
  static override description =
    'The patient is the user. Patient data comes from the profile info (`svc user set-info`), a file, or flags. All ' +
    'lab tests and markers must belong to one lab. With --idempotency-key, repeating the command returns the first ' +
    'response and does not place a second order.'
  static override examples = toExamples(
    'ada --lab-test essential-health',
    'ada --lab-test thyroid-walk-in --idempotency-key order-17 --json',
    'ada --file order.json --activate-by 2026-12-01',
  )
  static override args = { user: userArgument() }
  static override flags = {
    ...orderFlags(),
    'idempotency-key': string({ description: 'Key that makes the command safe to repeat', helpValue: 'KEY' }),
    'forget-refusals': boolean({ description: 'Do not store a refusal under the idempotency key' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrderCreate)
    const document = await orderDocument(flags)
    const client = await this.client()
    const headers = {
      ...(flags['idempotency-key'] === undefined ? {} : { 'x-idempotency-key': flags['idempotency-key'] }),
      ...(flags['forget-refusals'] ? { 'x-idempotency-error': 'no-cache' } : {}),
    }
    const { user_id } = await this.withUser(args.user, id => this.ask('user.get', { params: { user_id: id } }))
    const body = await buildOrderRequest(client, { flags, document, userId: user_id })
    // The service validates the body.
    await this.show('order.create', { body: body as never }, ({ order }) => factSheet(orderFacts(order)), { headers })
  }
}
