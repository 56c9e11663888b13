/** `svc engine passkey list`. */
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'
import type { ResponseOf } from '../../../client/client.ts'
import { fields, view } from '../../../output/view.ts'

type Passkey = ResponseOf<'passkey.list'>['passkeys'][number]

export default class EnginePasskeyList extends WatchedCommand {
  static override summary = 'List the passkeys of the people who sign in to the console, oldest first'
  static override description =
    'People add their own passkeys in the console. Times are real time, even if the clock of the engine was changed.'
  static override examples = toExamples('', '--json')

  protected override async look(): Promise<void> {
    await this.parse(EnginePasskeyList)
    const found = await this.ask('passkey.list', {})
    const columns = fields<Passkey>('person', 'name', 'host', 'created_at', 'last_used_at', 'passkey_id')
    await this.print(found, view(found.passkeys, columns, 'No passkeys.'))
  }
}
