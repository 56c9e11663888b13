/** `svc aggregate conflicts`. */
import { integer, option, string } from '@oclif/core/flags'
import { conflictsView } from '../../cli/aggregate/sources/conflicts-view.ts'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { dateReader } from '../../cli/arguments/dates.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'

export default class AggregateConflicts extends WatchedCommand {
  static override summary = 'List nights and workouts that --merge may have matched incorrectly, newest first'
  static override description =
    'A merged query shows a night or workout that several sources recorded as one row. Two rows that are nearly the ' +
    'same may be one (nearly_same), and sources of one row may report very different values (values_differ). Each ' +
    'line says how the two sessions compare. `svc aggregate correct` declares a pair the same or different; it is then ' +
    'no longer listed.'
  static override examples = toExamples('ada', 'ada --table workout --since 2026-11-01 --json')
  static override args = { user: userArgument() }
  static override flags = {
    table: option({ options: ['sleep', 'workout'] as const, description: 'Only nights, or only workouts' })(),
    since: string({ description: `Only pairs since this time: ${WHEN_HELP}`, helpValue: 'WHEN' }),
    until: string({ description: `Only pairs until this time: ${WHEN_HELP}`, helpValue: 'WHEN' }),
    limit: integer({ description: 'Maximum number of pairs to return, 1 to 500', default: 100, helpValue: 'N' }),
  }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(AggregateConflicts)
    const { table, limit } = flags
    const client = await this.client()
    const found = await this.withUser(args.user, async user_id => {
      const when = dateReader(client, user_id)
      const since = await when('start', '--since', flags.since)
      const until = await when('end', '--until', flags.until)
      const query = { table, since, until, limit }
      return this.ask('aggregate.conflicts', { params: { user_id }, query }, { signal: interruptSignal() })
    })
    await this.print(found, conflictsView(found.conflicts))
    const [first, other] = found.conflicts[0]?.sessions ?? []
    if (first && other) {
      const command = `svc aggregate correct ${args.user} ${first.id} ${other.id}`
      this.hint(`Correct the first pair: ${command} --same (or --different). --json shows the IDs of all pairs.`)
    }
    const oldest = found.conflicts.at(-1)?.sessions[0]?.start
    if (found.has_more && oldest) this.hint(`There are older ones: add --until ${oldest}.`)
  }
}
