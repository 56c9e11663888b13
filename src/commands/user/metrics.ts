/** `svc user metrics`. */
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { factSheet } from '../../output/view.ts'

export default class UserMetrics extends WatchedCommand {
  static override summary = 'Show how many users and connections the team has'
  static override description = 'json also contains the connections of the last 12 weeks.'
  static override examples = toExamples('')

  protected override async look(): Promise<void> {
    const metrics = await this.ask('user.metrics', {})
    const { number_of_connected_sources_by_week: weeks, ...facts } = metrics
    await this.print(metrics, factSheet({ ...facts, connected_this_week: weeks.at(-1)?.value }))
  }
}
