/** `svc engine person remove`. */
import { boolean } from '@oclif/core/flags'
import { personArgument, resolvePersonId } from '../../../cli/arguments/person-argument.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { confirm } from '../../../cli/runtime/confirmation.ts'
import { factSheet } from '../../../output/view.ts'

export default class EnginePersonRemove extends SvcCommand {
  static override summary = "Remove a person, and end the person's sessions"
  static override description =
    'Also removes the passkeys of the person. The audit trail keeps the name. Removing cannot be undone.'
  static override examples = toExamples('Ana --yes')
  static override args = { person: personArgument() }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EnginePersonRemove)
    const person_id = await resolvePersonId(args.person, () => this.ask('person.list', {}))
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Removing a person',
        question: `Remove ${args.person}?`,
        kept: 'the person can still sign in',
        advice: 'Answer y, or give --yes, to remove the person.',
      })
    }
    await this.ask('person.remove', { params: { person_id } })
    const removed = { person_id, removed: true }
    await this.print(removed, factSheet(removed))
  }
}
