/** `svc aggregate corrections`. */
import { option } from '@oclif/core/flags'
import { correctionsView } from '../../cli/aggregate/sources/conflicts-view.ts'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'

export default class AggregateCorrections extends WatchedCommand {
  static override summary = 'List the pairs of sessions that were declared the same or different, newest first'
  static override description =
    'A correction of a session that is not stored at present has no effect until the session is imported again. ' +
    '`svc aggregate correct` adds a correction, and with --undo removes one.'
  static override examples = toExamples('ada', 'ada --table workout --json')
  static override args = { user: userArgument() }
  static override flags = {
    table: option({ options: ['sleep', 'workout'] as const, description: 'Only nights, or only workouts' })(),
  }

  protected override async look(): Promise<void> {
    const { args, flags } = await this.parse(AggregateCorrections)
    const found = await this.withUser(args.user, user_id =>
      this.ask('aggregate.corrections', { params: { user_id }, query: { table: flags.table } }),
    )
    await this.print(found, correctionsView(found.corrections))
    const [first, other] = found.corrections[0]?.sessions ?? []
    if (first && other)
      this.hint(`Undo the first one: svc aggregate correct ${args.user} ${first.id} ${other.id} --undo`)
  }
}
