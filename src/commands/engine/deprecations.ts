/** `svc engine deprecations`. */
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { uncut, view } from '../../output/view.ts'

export default class EngineDeprecations extends SvcCommand {
  static override summary = 'List what was announced to go, with dates and replacements'
  static override description =
    'A dated operation answers 410, and a dated field is absent, from its day on. Which day it is, the compatibility date of the ' +
    'team says, and without one the clock. What has no date is still served.'
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json']

  async run(): Promise<void> {
    await this.parse(EngineDeprecations)
    const list = await this.ask('deprecation.list', {})
    await this.print(
      list,
      uncut(
        view(list.deprecations, {
          name: each => each.name,
          what: each => each.what,
          replaced_by: each => each.replaced_by,
          removed_on: each => each.removed_on,
          served: each => (each.is_served ? 'yes' : 'no'),
        }),
        'what',
        'replaced_by',
      ),
    )
    this.hint(`Seen from ${list.compatibility_date}.`)
  }
}
