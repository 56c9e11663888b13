/** `svc webhook test`. */
import { string } from '@oclif/core/flags'
import { endpointArgument, resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { DEFAULT_TEST_TYPE } from '../../contract/webhooks/webhook.ts'
import { factSheet } from '../../output/view.ts'

export default class WebhookTest extends SvcCommand {
  static override summary = 'Send an example event to one endpoint'
  static override description =
    "The event is about the team's newest user, contains example data and changes nothing. It is delivered, listed " +
    'and resent like any other event; `svc event get` shows its attempts.'
  static override examples = toExamples(
    'http://localhost:3000/hooks',
    '5f6c1c1e --type daily.data.glucose.created --json',
  )
  static override args = { endpoint: endpointArgument() }
  static override flags = {
    type: string({ description: `Event type; defaults to ${DEFAULT_TEST_TYPE}`, helpValue: 'TYPE' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookTest)
    const endpoint_id = await resolveEndpointId(args.endpoint, () => this.ask('webhook.list', {}))
    const body = flags.type === undefined ? {} : { type: flags.type }
    const event = await this.show('webhook.test', { params: { endpoint_id }, body }, factSheet)
    const sends =
      this.settings.baseUrl.value === null
        ? 'A running `svc serve` sends the event; otherwise run `svc event deliver`. '
        : ''
    this.hint(`${sends}To see the result: svc event get ${event.event_id}`)
  }
}
