/** `svc webhook list`. */
import { examplesOf, SvcCommand } from '../../cli/runtime/base-command.ts'
import { watchFlags } from '../../cli/runtime/shared-flags.ts'
import { endpointsView, targetProblems } from '../../cli/webhooks/endpoint-view.ts'

export default class WebhookList extends SvcCommand {
  static override summary = 'List endpoints with their waiting deliveries, oldest first'
  static override examples = examplesOf('', '--output csv')
  static override flags = watchFlags()

  async run(): Promise<void> {
    const { flags } = await this.parse(WebhookList)
    await this.repeat(flags, async () => {
      const list = await this.show('webhook.list', {}, ({ endpoints }) => endpointsView(endpoints))
      for (const line of targetProblems(list.endpoints)) this.hint(line)
    })
  }
}
