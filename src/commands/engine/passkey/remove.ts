/** `svc engine passkey remove`. */
import { string as stringArg } from '@oclif/core/args'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { factSheet } from '../../../output/view.ts'

export default class EnginePasskeyRemove extends SvcCommand {
  static override summary = 'Remove a passkey, which then no longer signs in'
  static override description = 'Sessions that are open continue; `svc engine session end` ends them.'
  static override examples = toExamples('5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11')
  static override args = {
    passkey: stringArg({ required: true, description: 'passkey_id from `svc engine passkey list`' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(EnginePasskeyRemove)
    await this.ask('passkey.remove', { params: { passkey_id: args.passkey } })
    const removed = { passkey_id: args.passkey, removed: true }
    await this.print(removed, factSheet(removed))
  }
}
