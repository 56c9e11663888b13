/** `svc webhook update`. */
import { string } from '@oclif/core/flags'
import { endpointArgument, endpointIdOf } from '../../cli/arguments/endpoint-argument.ts'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { endpointFlags, endpointSettings } from '../../cli/webhooks/endpoint-flags.ts'
import { endpointView } from '../../cli/webhooks/endpoint-view.ts'
import { ServiceError } from '../../core/errors.ts'

export default class WebhookUpdate extends SvcCommand {
  static override summary = 'Change where an endpoint is, what it gets, and how fast'
  static override description =
    'What no flag names stays as it is; --event-type replaces all former ones. What waits already is sent to the new URL, and ' +
    'only what happens from now on follows the new event types.'
  static override examples = [
    "<%= config.bin %> <%= command.id %> http://localhost:3000/hooks --event-type 'daily.data.glucose.*'",
    '<%= config.bin %> <%= command.id %> 5f6c1c1e --url https://example.com/v2/hooks --rate-limit none',
  ]
  static override args = { endpoint: endpointArgument() }
  static override flags = {
    url: string({ description: 'where events are posted to', helpValue: 'URL' }),
    ...endpointFlags({ isNew: false }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookUpdate)
    const body = { ...(flags.url === undefined ? {} : { url: flags.url }), ...endpointSettings(flags) }
    if (Object.keys(body).length === 0) {
      throw new ServiceError('usage', 'Nothing was said to change.', {
        suggestions: ['`svc webhook update --help` shows what it takes.'],
      })
    }
    const endpoint_id = await endpointIdOf(args.endpoint, () => this.ask('webhook.list', {}))
    const endpoint = await this.ask('webhook.update', { params: { endpoint_id }, body })
    await this.print(endpoint, endpointView(endpoint))
  }
}
