/** `svc engine session end`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EngineSessionEnd extends SvcCommand {
  static override summary = 'End a session of the console immediately'
  static override description =
    'The next request of the session is refused. The person or key can sign in again; to prevent that, remove the ' +
    'person or revoke the key.'
  static override examples = toExamples('5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11')
  static override args = {
    session: stringArg({ required: true, description: 'session_id from `svc engine session list`' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EngineSessionEnd)
    await this.ask('session.end', { params: { session_id: args.session } })
    const ended = { session_id: args.session, ended: true }
    await this.print(ended, factSheet(ended))
  }
}
