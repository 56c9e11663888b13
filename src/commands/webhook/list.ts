/** `svc webhook list`. */
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { endpointsView, targetProblems } from '../../cli/webhooks/endpoint-view.ts'

export default class WebhookList extends SvcCommand {
  static override summary = 'List endpoints with their waiting deliveries, oldest first'
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --output csv']

  async run(): Promise<void> {
    await this.parse(WebhookList)
    const list = await this.ask('webhook.list', {})
    await this.print(list, endpointsView(list.endpoints))
    for (const line of targetProblems(list.endpoints)) this.hint(line)
  }
}
