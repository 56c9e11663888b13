/** `svc engine session list`. */
import { toExamples } from '../../../cli/runtime/base-command.ts'
import { WatchedCommand } from '../../../cli/runtime/watched-command.ts'
import type { ResponseOf } from '../../../client/client.ts'
import { fields, view } from '../../../output/view.ts'

type Session = ResponseOf<'session.list'>['sessions'][number]

export default class EngineSessionList extends WatchedCommand {
  static override summary = 'List the open sessions of the console, newest first'
  static override description =
    'Shows who is signed in, since when, and with which browser. Times are real time, even if the clock of the engine ' +
    'was changed.'
  static override examples = toExamples('', '--json')

  protected override async look(): Promise<void> {
    await this.parse(EngineSessionList)
    const found = await this.ask('session.list', {})
    const columns = {
      who: (session: Session) => session.name ?? 'owner of the data folder',
      kind: (session: Session) => (session.person_id ? 'person' : session.key_id ? 'key' : 'owner'),
      ...fields<Session>('browser', 'created_at', 'last_seen_at', 'session_id'),
    }
    await this.print(found, view(found.sessions, columns, 'No open sessions.'))
  }
}
