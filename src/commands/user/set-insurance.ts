/** `svc user set-insurance`. */
import { boolean, option, string } from '@oclif/core/flags'
import { userArgument } from '../../cli/arguments/arguments.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { mergeFields, readUserDocument } from '../../cli/users/user-document.ts'
import { definedFields, personFlags, readPersonFlags } from '../../cli/users/user-person.ts'
import { flatSheet } from '../../cli/views/fact-lines.ts'

export default class UserSetInsurance extends SvcCommand {
  static override summary = 'Add health insurance for a user'
  static override description =
    'Earlier insurance is kept; the latest is used. Person flags describe the insured person. The file can contain ' +
    'all fields, including guarantor; flags override it.'
  static override examples = toExamples(
    'ada --file insurance.json',
    'ada --file insurance.json --payor-code SVC01 --no-primary',
  )
  static override args = { user: userArgument() }
  static override flags = {
    file: string({ description: 'JSON file with the fields; - reads stdin', helpValue: 'FILE' }),
    'payor-code': string({ description: 'Payor code, such as SVC01', helpValue: 'CODE' }),
    'member-id': string({ description: 'Member number' }),
    'group-id': string({ description: 'Group number' }),
    relationship: option({
      options: ['Self', 'Spouse', 'Other'] as const,
      description: 'Relationship of the user to the insured person',
    })(),
    primary: boolean({ description: 'Whether this is the primary insurance; defaults to yes', allowNo: true }),
    ...personFlags(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UserSetInsurance)
    const insured = readPersonFlags(flags)
    // With an empty address, the service's errors name the flags of the missing fields.
    const nothing = flags.file === undefined ? { insured: { address: {} } } : {}
    const body = mergeFields(
      mergeFields(nothing, await readUserDocument(flags.file)),
      definedFields({
        payor_code: flags['payor-code'],
        member_id: flags['member-id'],
        group_id: flags['group-id'],
        relationship: flags.relationship,
        is_primary: flags.primary,
        insured: Object.keys(insured).length > 0 ? insured : undefined,
      }),
    )
    await this.withUser(args.user, user_id =>
      // The service validates the body.
      this.show('user.add_insurance', { params: { user_id }, body: body as never }, flatSheet),
    )
  }
}
