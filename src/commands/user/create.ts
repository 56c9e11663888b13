/** `svc user create`. */
import { string as stringArg } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { userView } from '../../cli/users/user-view.ts'

export default class UserCreate extends SvcCommand {
  static override summary = 'Create a user'
  static override description =
    'CLIENT_USER_ID is your own reference of the user: unique in the team, and without personal data in it.'
  static override examples = [
    '<%= config.bin %> <%= command.id %> ada',
    '<%= config.bin %> <%= command.id %> ada --fallback-time-zone Europe/Berlin --fallback-birth-date 1990-05-17',
  ]
  static override args = {
    client_user_id: stringArg({ required: true, description: 'your own reference of the user' }),
  }
  static override flags = {
    'fallback-time-zone': string({ description: 'tz database name, for sources without a zone', helpValue: 'ZONE' }),
    'fallback-birth-date': string({ description: 'for providers that give no age', helpValue: 'YYYY-MM-DD' }),
    'ingestion-start': string({ description: 'first day whose data are kept', helpValue: 'YYYY-MM-DD' }),
    'ingestion-end': string({ description: 'last day whose data are kept', helpValue: 'YYYY-MM-DD' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserCreate)
    const user = await this.ask('user.create', {
      body: {
        client_user_id: args.client_user_id,
        fallback_time_zone: flags['fallback-time-zone'],
        fallback_birth_date: flags['fallback-birth-date'],
        ingestion_start: flags['ingestion-start'],
        ingestion_end: flags['ingestion-end'],
      },
    })
    await this.print(user, userView([user]))
  }
}
