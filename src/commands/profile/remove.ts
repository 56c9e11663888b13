/** `svc profile remove`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { profileDocument } from '../../cli/views/profile-view.ts'
import { ServiceError } from '../../core/errors.ts'
import { factSheet } from '../../output/view.ts'
import { deleteKey } from '../../profile/keychain.ts'
import { BUILT_IN_PROFILE, readProfileFile } from '../../profile/profile-file.ts'
import { profileNamed } from '../../profile/profile-named.ts'
import { removeProfile } from '../../profile/profile-store.ts'

export default class ProfileRemove extends SvcCommand {
  static override summary = 'Remove a profile and its key; data folders are kept'
  static override examples = toExamples('staging')
  static override args = { name: stringArg({ required: true, description: 'Profile name' }) }

  async run(): Promise<void> {
    const { args } = await this.parse(ProfileRemove)
    if (args.name === BUILT_IN_PROFILE) {
      throw new ServiceError('usage', `"${BUILT_IN_PROFILE}" is built in and cannot be removed.`)
    }
    const file = readProfileFile()
    const profile = profileNamed(file, args.name)
    if (profile.keychain !== undefined) deleteKey(args.name, profile.keychain)
    await removeProfile(args.name)
    const document = profileDocument(args.name, profile, file.current === args.name ? BUILT_IN_PROFILE : file.current)
    await this.print(document, factSheet({ ...document }))
  }
}
