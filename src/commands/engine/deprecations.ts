/** `svc engine deprecations`. */
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { fields, uncut, view } from '../../output/view.ts'

export default class EngineDeprecations extends WatchedCommand {
  static override summary = 'List deprecations with their removal dates and replacements'
  static override description =
    'From its removal date on, an operation responds with 410 and a field is absent. Removal dates are compared with ' +
    "the team's compatibility date or, without one, with the clock. Items without a removal date are still served."
  static override examples = toExamples('', '--json')

  protected override async look(): Promise<void> {
    const list = await this.ask('deprecation.list', {})
    await this.print(
      list,
      uncut(
        view(list.deprecations, {
          ...fields<(typeof list.deprecations)[number]>('name', 'what', 'replaced_by', 'removed_on'),
          served: each => (each.is_served ? 'yes' : 'no'),
        }),
        'what',
        'replaced_by',
      ),
    )
    this.hint(`Removals as of ${list.compatibility_date}.`)
  }
}
