/** `svc engine person sign-in`. */
import { personArgument, resolvePersonId } from '../../../cli/arguments/person-argument.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EnginePersonSignIn extends SvcCommand {
  static override summary = 'Create a one-time URL that signs a person in to the console'
  static override description = 'The URL works once, within 10 minutes. A server with a console must be running.'
  static override examples = toExamples('Ana')
  static override args = { person: personArgument() }

  async run(): Promise<void> {
    const { args } = await this.parse(EnginePersonSignIn)
    const person_id = await resolvePersonId(args.person, () => this.ask('person.list', {}))
    const signIn = await this.ask('person.sign_in_token', { params: { person_id } })
    await this.print(signIn, factSheet(signIn))
  }
}
