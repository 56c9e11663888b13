/** `svc webhook rotate-secret`. */
import { string } from '@oclif/core/flags'
import { endpointArgument, resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { endpointView, SECRET_IS_SHOWN_ONCE } from '../../cli/webhooks/endpoint-view.ts'
import { givenSecret, secretFlags } from '../../cli/webhooks/signing-secret.ts'
import { ServiceError } from '../../core/errors.ts'

export default class WebhookRotateSecret extends SvcCommand {
  static override summary = "Rotate an endpoint's secret"
  static override description =
    'During the overlap, each delivery has two signatures, one with the new secret and one with the previous one. ' +
    'Another rotation ends an earlier overlap. The new secret is shown once.'
  static override examples = toExamples('https://example.com/hooks', '5f6c1c1e --overlap 0 --json')
  static override args = { endpoint: endpointArgument() }
  static override flags = {
    overlap: string({
      description: 'How long the previous secret also signs, up to 7d; 0 ends the overlap immediately',
      default: '24h',
      helpValue: '24h',
    }),
    ...secretFlags(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookRotateSecret)
    const overlap_hours = parseHours(flags.overlap)
    const secret = await givenSecret(flags)
    const endpoint_id = await resolveEndpointId(args.endpoint, () => this.ask('webhook.list', {}))
    const body = { overlap_hours, ...(secret === undefined ? {} : { secret }) }
    await this.show('webhook.rotate_secret', { params: { endpoint_id }, body }, endpointView)
    this.hint(SECRET_IS_SHOWN_ONCE)
  }
}

/** Parses `24h`, `7d` or `0`, up to one week, and returns hours. */
function parseHours(given: string): number {
  const [, count, unit] = /^(\d{1,4})([hd])?$/.exec(given) ?? []
  const hours = Number(count) * (unit === 'd' ? 24 : 1)
  if (count === undefined || (unit === undefined && hours !== 0) || hours > 7 * 24) {
    throw new ServiceError('usage', '--overlap must be hours or days, such as 24h, at most 7d, or 0.')
  }
  return hours
}
