/** `svc engine run-due`. */
import { withPullProgress } from '../../cli/links/history-pull.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { ServiceError } from '../../core/errors.ts'
import { view } from '../../output/view.ts'

export default class EngineRunDue extends SvcCommand {
  static override summary = 'Run the jobs that are due'
  static override description =
    'Jobs purge deleted users, pause connections, refresh users, add demo data, end demos, advance lab orders, run ' +
    'continuous queries and remove old events. Also runs work that is due at live providers: pulls, notifications, ' +
    'subscriptions and access revocations. On a terminal, shows the progress of historical pulls at live providers. ' +
    'A running `svc serve` does all of this automatically. A purge rebuilds the database file so that none of the ' +
    "user's data remains in it. While another process still reads older data, the rebuild waits and the command " +
    'exits with code 7.'
  static override examples = toExamples('', '--json')

  async run(): Promise<void> {
    await this.parse(EngineRunDue)
    const report = await withPullProgress(this.ask('engine.run_due', {}, { signal: interruptSignal() }), {
      title: 'Pulling histories',
      isQuiet: this.isQuiet,
      look: () => this.ask('provider.status', {}),
    })
    const rows = [
      ...report.ran.map(({ kind, count }) => ({ kind, ran: count, left: null })),
      ...report.left.map(({ kind, reason }) => ({ kind, ran: 0, left: reason })),
    ]
    await this.print(report, {
      ...view(rows, { job: row => row.kind, ran: row => row.ran, left: row => row.left }, 'Nothing is due.'),
      isOneDocument: true,
    })
    const [left] = report.left
    if (!left) return
    throw new ServiceError('store_busy', `Some jobs could not be finished: ${left.reason}. They stay due.`, {
      suggestions: ['Wait for the other process or end it, then run svc engine run-due again.'],
    })
  }
}
