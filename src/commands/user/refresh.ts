/** `svc user refresh`. */
import { integer } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { withPullProgress } from '../../cli/links/history-pull.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import type { ResponseOf } from '../../client/client.ts'
import { fields, view } from '../../output/view.ts'

export default class UserRefresh extends SvcCommand {
  static override summary = "Pull new data from a user's providers"
  static override description =
    'Allowed 8 times an hour for each user. Work that does not finish in time continues in `svc serve`, or with the ' +
    'next command for the user. On a terminal, shows the progress of historical pulls at live providers.'
  static override examples = toExamples('ada', 'ada --timeout 60 --json')
  static override args = { user: userArgument() }
  static override flags = {
    timeout: integer({ description: 'Maximum number of seconds to wait, 5 to 60', default: 10, helpValue: 'SECONDS' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserRefresh)
    const signal = interruptSignal()
    const body = await this.withUser(args.user, user_id => {
      const input = { params: { user_id }, query: { timeout: flags.timeout } }
      return withPullProgress(this.ask('user.refresh', input, { signal }), {
        title: `Pulling the history of ${args.user}`,
        isQuiet: this.isQuiet,
        look: () => this.ask('provider.status', { query: { user_id } }),
      })
    })
    signal.throwIfAborted()
    const states = {
      refreshed: body.refreshed_sources,
      'in progress': body.in_progress_sources,
      failed: body.failed_sources,
    }
    const rows = Object.entries(states).flatMap(([state, sources]) => sources.map(source => ({ source, state })))
    await this.print(
      body,
      view(
        rows,
        fields<(typeof rows)[number]>('source', 'state'),
        'There is nothing to refresh: no connected provider has resources to pull.',
      ),
    )
    if (body.in_progress_sources.length + body.failed_sources.length === 0) return
    const { connections } = await this.ask('provider.status', { query: { user_id: body.user_id } })
    if (connections.some(hasProblem)) this.hint(`To see what is wrong: svc provider status --user ${args.user}`)
  }
}

/** Returns whether a live connection has failed, or its provider did not respond as expected. */
function hasProblem({ status, collections }: ResponseOf<'provider.status'>['connections'][number]): boolean {
  return status === 'error' || collections.some(each => each.last_error !== null)
}
