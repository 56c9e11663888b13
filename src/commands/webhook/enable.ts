/** `svc webhook enable`. */

import { endpointArgument, resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { endpointView } from '../../cli/webhooks/endpoint-view.ts'

export default class WebhookEnable extends SvcCommand {
  static override summary = 'Enable an endpoint for events from now on'
  static override description = 'To send earlier events: svc event resend --since TIME --endpoint ENDPOINT.'
  static override examples = toExamples('5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11', 'http://localhost:3000/hooks --json')
  static override args = { endpoint: endpointArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(WebhookEnable)
    const endpoint_id = await resolveEndpointId(args.endpoint, () => this.ask('webhook.list', {}))
    await this.show('webhook.enable', { params: { endpoint_id } }, endpointView)
  }
}
