/** `svc engine clock show`. */
import { examplesOf, SvcCommand } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineClockShow extends SvcCommand {
  static override summary = "Show the engine's clock"
  static override examples = examplesOf('')

  async run(): Promise<void> {
    await this.parse(EngineClockShow)
    await this.show('clock.get', {}, factSheet)
  }
}
