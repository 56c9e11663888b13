/** `svc webhook list`. */
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { endpointsView, targetProblems } from '../../cli/webhooks/endpoint-view.ts'

export default class WebhookList extends WatchedCommand {
  static override summary = 'List endpoints with their waiting deliveries, oldest first'
  static override examples = toExamples('', '--output csv')

  protected override async look(): Promise<void> {
    const list = await this.show('webhook.list', {}, ({ endpoints }) => endpointsView(endpoints))
    for (const line of targetProblems(list.endpoints)) this.hint(line)
  }
}
