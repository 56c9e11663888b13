/** `svc timeseries delete`. */
import { boolean, string } from '@oclif/core/flags'
import { resourceArgument, userArgument } from '../../cli/arguments/arguments.ts'
import { dateReader } from '../../cli/arguments/dates.ts'
import { WHEN_HELP } from '../../cli/arguments/when.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { confirm } from '../../cli/runtime/confirmation.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'

export default class TimeseriesDelete extends SvcCommand {
  static override summary = 'Delete the samples in a range; this cannot be undone'
  static override description =
    'Deletes the samples that `timeseries get` shows for the same range. To remove the data of an import, use ' +
    '`import undo`, which also restores what the import replaced.'
  static override examples = toExamples(
    'ada steps --start 2026-11-01 --end 2026-11-07',
    'ada heartrate --start 2026-11-20 --end 2026-11-20 --provider manual --yes',
  )
  static override args = { user: userArgument(), resource: resourceArgument() }
  static override flags = {
    start: string({ required: true, description: `Start date, inclusive: ${WHEN_HELP}`, helpValue: 'DATE' }),
    end: string({ required: true, description: 'End date, inclusive', helpValue: 'DATE' }),
    provider: string({ description: 'Only this provider', helpValue: 'SLUG' }),
    yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(TimeseriesDelete)
    const of = flags.provider === undefined ? '' : ` of ${flags.provider}`
    if (!flags.yes && !this.canAsk) {
      throw new ServiceError('missing_input', 'Deleting samples needs --yes when there is no terminal to prompt on.')
    }
    let isConfirmed = flags.yes
    const result = await this.withUser(args.user, async user_id => {
      const when = dateReader(await this.client(), user_id)
      const [start, end] = [await when('start', '--start', flags.start), await when('end', '--end', flags.end)]
      if (!isConfirmed) {
        await confirm(this.canAsk, {
          doing: 'Deleting samples',
          question: `Delete ${args.resource}${of} of ${args.user}, ${start} to ${end}? This cannot be undone.`,
          kept: 'the samples are still there',
          advice: 'Answer y, or give --yes, to delete them.',
        })
      }
      // a client_user_id that looks like a UUID is tried twice, but confirmed only once
      isConfirmed = true
      return this.ask('timeseries.delete', {
        params: { user_id, resource: args.resource },
        query: { start_date: start, end_date: end, provider: flags.provider },
      })
    })
    await this.print(result, factSheet(result))
  }
}
