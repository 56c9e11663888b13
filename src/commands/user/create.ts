/** `svc user create`. */
import { string as stringArg } from '@oclif/core/args'
import { dateReader } from '../../cli/arguments/dates.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { userFlags } from '../../cli/users/user-flags.ts'
import { userRecord } from '../../cli/users/user-view.ts'

export default class UserCreate extends SvcCommand {
  static override summary = 'Create a user'
  static override description =
    'CLIENT_USER_ID is your own reference for the user. It must be unique in the team and must not contain ' +
    'personal data.'
  static override examples = toExamples(
    'ada',
    'ada --fallback-time-zone Europe/Berlin --fallback-birth-date 1990-05-17',
  )
  static override args = {
    client_user_id: stringArg({ required: true, description: 'Your own reference for the user' }),
  }
  static override flags = userFlags()

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserCreate)
    const client = await this.client()
    const when = dateReader(client, { zone: flags['fallback-time-zone'] })
    const user = await this.ask('user.create', {
      body: {
        client_user_id: args.client_user_id,
        fallback_time_zone: flags['fallback-time-zone'],
        fallback_birth_date: flags['fallback-birth-date'],
        ingestion_start: await when('first day', '--ingestion-start', flags['ingestion-start']),
        ingestion_end: await when('last day', '--ingestion-end', flags['ingestion-end']),
      },
    })
    await this.print(user, userRecord(user))
  }
}
