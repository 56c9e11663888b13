/** `svc engine person add`. */
import { string as stringArg } from '@oclif/core/args'
import { option, string } from '@oclif/core/flags'
import { ROLES } from '../../../catalogue/roles.ts'
import { resolveTeamId } from '../../../cli/arguments/team-argument.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EnginePersonAdd extends SvcCommand {
  static override summary = 'Add a person who can sign in to the console'
  static override description =
    'Prints a URL that signs the person in once, within 10 minutes. The role decides what the person may do: ' +
    'reader-without-health-data and reader only read, operator also makes changes, and owner also manages keys, people, ' +
    'teams and secrets.'
  static override examples = toExamples('Ana --role operator', '"Ben of support" --role reader-without-health-data')
  static override args = { name: stringArg({ required: true, description: 'Name of the person, unique in the team' }) }
  static override flags = {
    role: option({ options: ROLES, description: 'Role of the person', required: true })(),
    team: string({
      description: "Team whose data the person sees, as name or team_id; default: the caller's team",
      helpValue: 'TEAM',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EnginePersonAdd)
    const { role, team } = flags
    const team_id = team === undefined ? undefined : await resolveTeamId(team, () => this.ask('team.list', {}))
    const person = await this.ask('person.create', {
      body: { name: args.name, role, ...(team_id === undefined ? {} : { team_id }) },
    })
    await this.print(person, factSheet(person))
    if (person.url === null) {
      this.hint('No server with a console is running. Start one, and then run: svc engine person sign-in NAME')
    } else this.hint('The URL works once, within 10 minutes. Only its hash is stored, so it cannot be shown again.')
  }
}
