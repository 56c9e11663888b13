/** `svc profile show`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { profileDocument } from '../../cli/views/profile-view.ts'
import { factSheet } from '../../output/view.ts'
import { readProfileFile } from '../../profile/profile-file.ts'
import { profileNamed } from '../../profile/profile-named.ts'

export default class ProfileShow extends SvcCommand {
  static override summary = 'Show a profile with its key masked'
  static override examples = toExamples('staging')
  static override args = { name: stringArg({ description: 'Profile name; defaults to the current profile' }) }

  async run(): Promise<void> {
    const { args } = await this.parse(ProfileShow)
    const file = readProfileFile()
    const name = args.name ?? this.settings.profile.value
    const document = profileDocument(name, profileNamed(file, name), file.current)
    await this.print(document, factSheet({ ...document }))
  }
}
