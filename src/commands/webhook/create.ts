/** `svc webhook create`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { endpointFlags, endpointSettings } from '../../cli/webhooks/endpoint-flags.ts'
import { endpointView, SECRET_IS_SHOWN_ONCE } from '../../cli/webhooks/endpoint-view.ts'
import { givenSecret, secretFlags } from '../../cli/webhooks/signing-secret.ts'

export default class WebhookCreate extends SvcCommand {
  static override summary = 'Create a webhook endpoint and return its secret once'
  static override description =
    "The URL must be https, or http to localhost, 127.0.0.1 or [::1]; a server accepts http only with an operator's " +
    'API key. The endpoint receives events from now on; `svc serve` delivers them, or `svc event deliver` does it ' +
    'once. Without --secret-stdin or --secret-variable, the secret consists of 32 random bytes.'
  static override examples = toExamples(
    'https://example.com/hooks',
    "http://localhost:3000/hooks --event-type 'daily.data.*' --event-type 'provider.*' --json",
    'https://example.com/hooks --header-prefix svix --rate-limit 50',
    'pass show hooks | <%= config.bin %> <%= command.id %> https://example.com/hooks --secret-stdin',
  )
  static override args = { url: stringArg({ required: true, description: 'URL to post events to' }) }
  static override flags = { ...endpointFlags({ isNew: true }), ...secretFlags() }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookCreate)
    const secret = await givenSecret(flags)
    const body = { url: args.url, ...endpointSettings(flags), ...(secret === undefined ? {} : { secret }) }
    await this.show('webhook.create', { body }, endpointView)
    this.hint(SECRET_IS_SHOWN_ONCE)
  }
}
