/** `svc engine clock show`. */
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineClockShow extends WatchedCommand {
  static override summary = "Show the engine's clock"
  static override examples = toExamples('')

  protected override async look(): Promise<void> {
    await this.show('clock.get', {}, factSheet)
  }
}
