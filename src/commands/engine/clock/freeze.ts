/** `svc engine clock freeze`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { dateReader } from '../../../cli/arguments/dates.ts'
import { WHEN_HELP } from '../../../cli/arguments/when.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { ServiceError } from '../../../core/errors.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineClockFreeze extends SvcCommand {
  static override summary = 'Stop the clock, now or at a given time'
  static override description =
    'Every process that uses the data folder follows immediately. `clock set` and `clock advance` still move a ' +
    'frozen clock and run the jobs that become due. --off lets the clock run again from where it stopped; `clock set ' +
    'real` returns to real time.'
  static override examples = toExamples('', '2026-11-20T08:30:00Z', '--off')
  static override args = {
    instant: stringArg({
      description: `Time to stop at: ISO 8601 date-time, ${WHEN_HELP}; defaults to the clock's current time`,
    }),
  }
  static override flags = { off: boolean({ description: 'Let the clock run again' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineClockFreeze)
    if (flags.off && args.instant !== undefined) {
      throw new ServiceError(
        'usage',
        '--off lets the clock run again from where it stopped and does not take an INSTANT.',
        {
          suggestions: [
            'To continue from another time: svc engine clock freeze --off, then svc engine clock set INSTANT',
          ],
        },
      )
    }
    const at = await dateReader(await this.client())('moment', 'INSTANT', args.instant)
    const body = at === undefined ? { freeze: !flags.off } : { set: at, freeze: true }
    await this.show('clock.set', { body }, factSheet)
  }
}
