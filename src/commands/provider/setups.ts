/** `svc provider setups`. */
import { oauthAppsView } from '../../cli/providers/oauth-app-view.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'

export default class ProviderSetups extends WatchedCommand {
  static override summary = 'List live providers'
  static override description =
    "notification_url is the URL that receives the provider's notifications. Treat it as a secret. It is empty if " +
    'the server has no public https URL. The client secret is never shown.'
  static override examples = toExamples('', '--json')

  protected override async look(): Promise<void> {
    await this.parse(ProviderSetups)
    await this.show('provider.setups', {}, ({ setups }) => oauthAppsView(setups))
  }
}
