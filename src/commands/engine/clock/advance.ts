/** `svc engine clock advance`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineClockAdvance extends SvcCommand {
  static override summary = 'Move the clock forward by a duration'
  static override description =
    'Every process that uses the data folder follows immediately, including a running `svc serve`, and runs the jobs ' +
    'that become due. A frozen clock stays frozen. A negative duration moves the clock back; write it after -- so ' +
    'that it is not read as a flag.'
  static override examples = toExamples('7d', '90s', '-- -5d')
  static override args = {
    duration: stringArg({
      required: true,
      description: 'Duration: a number with s, m (minutes), h, d or w; negative to move the clock back',
    }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EngineClockAdvance)
    await this.show('clock.set', { body: { advance: args.duration } }, factSheet)
  }
}
