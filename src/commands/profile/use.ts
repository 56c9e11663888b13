/** `svc profile use`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { profileDocument } from '../../cli/views/profile-view.ts'
import { factSheet } from '../../output/view.ts'
import { readProfileFile } from '../../profile/profile-file.ts'
import { profileNamed } from '../../profile/profile-named.ts'
import { useProfile } from '../../profile/profile-store.ts'

export default class ProfileUse extends SvcCommand {
  static override summary = 'Make a profile the default'
  static override examples = toExamples('staging', 'local')
  static override args = { name: stringArg({ required: true, description: 'Profile name' }) }

  async run(): Promise<void> {
    const { args } = await this.parse(ProfileUse)
    const profile = profileNamed(readProfileFile(), args.name)
    await useProfile(args.name)
    const document = profileDocument(args.name, profile, args.name)
    await this.print(document, factSheet({ ...document }))
  }
}
