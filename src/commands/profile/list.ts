/** `svc profile list`. */
import { toExamples } from '../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../cli/runtime/watched-command.ts'
import { type ProfileDocument, profileDocument } from '../../cli/views/profile-view.ts'
import { fields, view } from '../../output/view.ts'
import { readProfileFile } from '../../profile/profile-file.ts'

export default class ProfileList extends WatchedCommand {
  static override summary = 'List profiles'
  static override examples = toExamples('')

  protected override async look(): Promise<void> {
    const file = readProfileFile()
    const profiles = Object.entries(file.profiles).map(([name, profile]) =>
      profileDocument(name, profile, file.current),
    )
    await this.print(
      profiles,
      view(profiles, {
        current: profile => (profile.current ? '*' : ''),
        ...fields<ProfileDocument>(
          'name',
          'base_url',
          'api_key',
          'api_key_in',
          'data_dir',
          'store',
          'header_prefix',
          'timeout_ms',
        ),
      }),
    )
  }
}
