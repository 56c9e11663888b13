/** `svc engine clock set`. */
import { string as stringArg } from '@oclif/core/args'
import { dateReader } from '../../../cli/arguments/dates.ts'
import { WHEN_HELP } from '../../../cli/arguments/when.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

/** The word that makes the clock follow real time again. */
const REAL_TIME = 'real'

export default class EngineClockSet extends SvcCommand {
  static override summary = 'Set the clock to a given time'
  static override description =
    'The clock continues from there, or stays frozen if it was frozen. Every process that uses the data folder ' +
    'follows immediately, including a running `svc serve`, and runs the jobs that become due.'
  static override examples = toExamples('2026-11-20T08:30:00Z', 'real')
  static override args = {
    instant: stringArg({
      required: true,
      description: `Time: ISO 8601 date-time, ${WHEN_HELP}; or "${REAL_TIME}" to unfreeze the clock and follow real time`,
    }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EngineClockSet)
    const when = dateReader(await this.client())
    const clock = await this.ask('clock.set', {
      body:
        args.instant === REAL_TIME ? { follow: 'real_time' } : { set: await when('moment', 'INSTANT', args.instant) },
    })
    await this.print(clock, factSheet(clock))
  }
}
