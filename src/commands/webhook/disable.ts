/** `svc webhook disable`. */

import { endpointArgument, resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { endpointView } from '../../cli/webhooks/endpoint-view.ts'

export default class WebhookDisable extends SvcCommand {
  static override summary = 'Disable an endpoint until it is enabled again'
  static override description =
    'Waiting deliveries become dead; `svc event resend` can send them later. Events that occur in the meantime are ' +
    'not sent to the endpoint.'
  static override examples = toExamples('5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11', 'http://localhost:3000/hooks --json')
  static override args = { endpoint: endpointArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(WebhookDisable)
    const endpoint_id = await resolveEndpointId(args.endpoint, () => this.ask('webhook.list', {}))
    await this.show('webhook.disable', { params: { endpoint_id } }, endpointView)
  }
}
