/** `svc webhook update`. */
import { string } from '@oclif/core/flags'
import { endpointArgument, resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { endpointFlags, endpointSettings } from '../../cli/webhooks/endpoint-flags.ts'
import { endpointView } from '../../cli/webhooks/endpoint-view.ts'
import { ServiceError } from '../../core/errors.ts'

export default class WebhookUpdate extends SvcCommand {
  static override summary = 'Change an endpoint'
  static override description =
    'Settings without a flag stay unchanged; --event-type replaces all event types. Waiting deliveries go to the ' +
    'new URL. New event types apply to events from now on.'
  static override examples = toExamples(
    "http://localhost:3000/hooks --event-type 'daily.data.glucose.*'",
    '5f6c1c1e --url https://example.com/v2/hooks --rate-limit none',
  )
  static override args = { endpoint: endpointArgument() }
  static override flags = {
    url: string({ description: 'New URL to post events to', helpValue: 'URL' }),
    ...endpointFlags({ isNew: false }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookUpdate)
    const body = { ...(flags.url === undefined ? {} : { url: flags.url }), ...endpointSettings(flags) }
    if (Object.keys(body).length === 0) {
      throw new ServiceError('usage', 'No setting is given.', {
        suggestions: ['Run `svc webhook update --help` for the settings.'],
      })
    }
    const endpoint_id = await resolveEndpointId(args.endpoint, () => this.ask('webhook.list', {}))
    await this.show('webhook.update', { params: { endpoint_id }, body }, endpointView)
  }
}
