/** `svc webhook get`. */

import { endpointArgument, resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { endpointView } from '../../cli/webhooks/endpoint-view.ts'

export default class WebhookGet extends WatchedCommand {
  static override summary = 'Show an endpoint with its settings and waiting deliveries'
  static override description = 'The secret is not included; it is shown only once, when it is created.'
  static override examples = toExamples('5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11', 'http://localhost:3000/hooks --json')
  static override args = { endpoint: endpointArgument() }

  protected override async look(): Promise<void> {
    const { args } = await this.parse(WebhookGet)
    const endpoint_id = await resolveEndpointId(args.endpoint, () => this.ask('webhook.list', {}))
    await this.show('webhook.get', { params: { endpoint_id } }, endpointView)
  }
}
