/** `svc webhook delete`. */
import { boolean } from '@oclif/core/flags'
import { endpointArgument, resolveEndpointId } from '../../cli/arguments/endpoint-argument.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { confirm } from '../../cli/runtime/confirmation.ts'
import { factSheet } from '../../output/view.ts'

export default class WebhookDelete extends SvcCommand {
  static override summary = 'Delete an endpoint and the record of its deliveries'
  static override description = 'This cannot be undone. Events are kept, and other endpoints still receive them.'
  static override examples = toExamples('http://localhost:3000/hooks', '5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11 --yes')
  static override args = { endpoint: endpointArgument() }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(WebhookDelete)
    const endpoint_id = await resolveEndpointId(args.endpoint, () => this.ask('webhook.list', {}))
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Deleting a webhook endpoint',
        question: `Delete the webhook endpoint ${endpoint_id}?`,
        kept: 'the webhook endpoint is still there',
        advice: 'Answer y, or give --yes, to delete it.',
      })
    }
    await this.show('webhook.delete', { params: { endpoint_id } }, factSheet)
  }
}
