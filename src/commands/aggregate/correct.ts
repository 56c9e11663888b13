/** `svc aggregate correct`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { correctionsView } from '../../cli/aggregate/sources/conflicts-view.ts'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'

const IDS = '0b8f0f9e-1111-8222-8333-444455556666 0b8f0f9e-1111-8222-8333-777788889999'
const VERDICTS = ['same', 'different', 'undo'] as const

export default class AggregateCorrect extends SvcCommand {
  static override summary = 'Declare that two sessions are the same night or workout, or different ones'
  static override description =
    'Queries with --merge follow the declaration instead of the rules, also after the sessions are imported again. ' +
    'Stored data does not change. `svc aggregate conflicts --json`, `svc aggregate explain` and `svc summary get` show ' +
    'the IDs of sessions.'
  static override examples = toExamples(`ada ${IDS} --same`, `ada ${IDS} --different`, `ada ${IDS} --undo`)
  static override args = {
    user: userArgument(),
    session: stringArg({ required: true, description: 'ID of a night or workout' }),
    other: stringArg({ required: true, description: 'ID of another night, or of another workout' }),
  }
  static override flags = {
    same: boolean({ description: 'Declare the sessions the same: a merged query shows one row' }),
    different: boolean({ description: 'Declare the sessions different: a merged query shows two rows' }),
    undo: boolean({ description: 'Remove the declaration, so that the rules decide again' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(AggregateCorrect)
    const [verdict, ...others] = VERDICTS.filter(name => flags[name])
    if (verdict === undefined || others.length > 0)
      throw new ServiceError('usage', 'Give one of --same, --different and --undo.')
    const ids = { session_id: args.session, other_session_id: args.other }
    if (verdict === 'undo') {
      const done = await this.withUser(args.user, user_id =>
        this.ask('aggregate.undo_correction', { params: { user_id, ...ids } }),
      )
      return this.print(done, factSheet(done))
    }
    const correction = await this.withUser(args.user, user_id =>
      this.ask('aggregate.correct', { params: { user_id, ...ids }, body: { verdict } }),
    )
    await this.print(correction, correctionsView([correction]))
    this.hint(`Undo this: svc aggregate correct ${args.user} ${args.session} ${args.other} --undo`)
  }
}
