/** `svc engine clock set`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

/** The word that makes the clock follow real time again. */
const REAL_TIME = 'real'

export default class EngineClockSet extends SvcCommand {
  static override summary = 'Set the clock to a given time'
  static override description =
    'The clock runs on from there, or stays frozen if it was frozen. Every process on the data folder follows ' +
    'immediately, including a running `svc serve`, and runs what becomes due.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> 2026-11-20T08:30:00Z',
    '<%= config.bin %> <%= command.id %> real',
  ]
  static override args = {
    instant: stringArg({
      required: true,
      description: `ISO 8601 date-time, or "${REAL_TIME}" to follow real time again, not frozen`,
    }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EngineClockSet)
    const clock = await this.ask('clock.set', {
      body: args.instant === REAL_TIME ? { follow: 'real_time' } : { set: args.instant },
    })
    await this.print(clock, factSheet(clock))
  }
}
