/** `svc engine key revoke`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { confirm } from '../../../cli/runtime/confirmation.ts'
import { keyView } from '../../../cli/views/key-view.ts'
import { asRecord } from '../../../output/view.ts'

export default class EngineKeyRevoke extends SvcCommand {
  static override summary = 'Revoke an API key immediately'
  static override description = 'A running server refuses the key from the next request on. Revoking cannot be undone.'
  static override examples = toExamples('5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11 --yes')
  static override args = {
    key: stringArg({ required: true, description: 'key_id from `svc engine key list`; never the key itself' }),
  }
  static override flags = { yes: boolean({ char: 'y', description: 'Do not ask for confirmation' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineKeyRevoke)
    if (!flags.yes) {
      await confirm(this.canAsk, {
        doing: 'Revoking a key',
        question: 'Revoke this key?',
        kept: 'the key still works',
        advice: 'Answer y, or give --yes, to revoke it.',
      })
    }
    const key = await this.ask('key.revoke', { params: { key_id: args.key } })
    await this.print(key, { ...asRecord(keyView([key])), isOneDocument: true })
  }
}
