/** `svc provider remap`. */
import { string } from '@oclif/core/flags'
import { providerArgument } from '../../cli/arguments/arguments.ts'
import { printRemap, remapFlags } from '../../cli/imports/remap.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'

export default class ProviderRemap extends SvcCommand {
  static override summary = "Read kept raw responses of a live provider again with today's mapping"
  static override description =
    'After a new version of svc maps records differently, maps the kept responses again and stores what differs. The ' +
    'newest response about a record counts. Each user gets one step, which `svc import list` shows with the format ' +
    'remap and `svc import undo` undoes. Responses are kept for 30 days if the provider was set up with --keep-raw.'
  static override examples = toExamples('oura --dry-run', 'oura --user ada --collection sleep', 'oura --json')
  static override args = { provider: providerArgument() }
  static override flags = {
    user: string({ description: 'Read only responses about this user again', helpValue: 'USER' }),
    collection: string({ description: "Only this collection, by the provider's name for it", helpValue: 'NAME' }),
    ...remapFlags(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProviderRemap)
    const { provider } = args
    const { user, collection } = flags
    const signal = interruptSignal()
    const remap = (user_id?: string) =>
      printRemap(
        flags,
        query => this.ask('provider.remap', { params: { provider }, query, body: { user_id, collection } }, { signal }),
        {
          pages: (isAll, read, viewOf) => this.printPages(isAll, read, viewOf),
          hint: line => this.hint(line),
        },
      )
    if (user === undefined) await remap()
    else await this.withUser(user, remap)
  }
}
