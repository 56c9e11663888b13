/** `svc user set-info`. */
import { option, string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { mergeFields, readUserDocument } from '../../cli/users/user-document.ts'
import { definedFields, personFlags, readPersonFlags } from '../../cli/users/user-person.ts'
import { flatSheet } from '../../cli/views/fact-lines.ts'
import { ETHNICITIES, GENDER_IDENTITIES, RACES, SEXUAL_ORIENTATIONS } from '../../contract/users/user-info.ts'

export default class UserSetInfo extends SvcCommand {
  static override summary = "Set a user's profile info"
  static override description =
    'Replaces the existing info. The file has the format of `svc user info --json`, including medical_proxy; ' +
    'flags override it.'
  static override examples = toExamples('ada --file info.json', 'ada --file info.json --phone-number "+1 415 555 0100"')
  static override args = { user: userArgument() }
  static override flags = {
    file: string({ description: 'JSON file with the fields; - reads stdin', helpValue: 'FILE' }),
    ...personFlags(),
    race: option({ options: RACES, description: 'Race' })(),
    ethnicity: option({ options: ETHNICITIES, description: 'Ethnicity' })(),
    'sexual-orientation': option({ options: SEXUAL_ORIENTATIONS, description: 'Sexual orientation' })(),
    'gender-identity': option({ options: GENDER_IDENTITIES, description: 'Gender identity' })(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserSetInfo)
    // With an empty address, the service's errors name the flags of the missing fields.
    const nothing = flags.file === undefined ? { address: {} } : {}
    const body = mergeFields(mergeFields(nothing, await readUserDocument(flags.file)), {
      ...readPersonFlags(flags),
      ...definedFields({
        race: flags.race,
        ethnicity: flags.ethnicity,
        sexual_orientation: flags['sexual-orientation'],
        gender_identity: flags['gender-identity'],
      }),
    })
    await this.withUser(args.user, user_id =>
      // The service validates the body.
      this.show('user.set_info', { params: { user_id }, body: body as never }, flatSheet),
    )
  }
}
