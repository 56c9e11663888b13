/** `svc engine person set`. */
import { option, string } from '@oclif/core/flags'
import { ROLES } from '../../../catalogue/roles.ts'
import { personArgument, resolvePersonId } from '../../../cli/arguments/person-argument.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { ServiceError } from '../../../core/errors.ts'
import { factSheet } from '../../../output/view.ts'

export default class EnginePersonSet extends SvcCommand {
  static override summary = "Change a person's role or name"
  static override description = 'A new role takes effect with the next request, also in sessions that are open.'
  static override examples = toExamples('Ana --role owner', 'Ana --name "Ana B."')
  static override args = { person: personArgument() }
  static override flags = {
    role: option({ options: ROLES, description: 'New role' })(),
    name: string({ description: 'New name, unique in the team', helpValue: 'TEXT' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EnginePersonSet)
    const { role, name } = flags
    if (role === undefined && name === undefined) {
      throw new ServiceError('usage', 'There is nothing to change.', { suggestions: ['Give --role or --name.'] })
    }
    const person_id = await resolvePersonId(args.person, () => this.ask('person.list', {}))
    const body = { ...(role === undefined ? {} : { role }), ...(name === undefined ? {} : { name }) }
    const person = await this.ask('person.update', { params: { person_id }, body })
    await this.print(person, factSheet(person))
  }
}
