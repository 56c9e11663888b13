/** `svc order pdf`. */
import { option, string } from '@oclif/core/flags'
import { orderArgument } from '../../cli/arguments/arguments.ts'
import { checkOutFile, checkRedirected, savedView, saveFile, writeStdout } from '../../cli/output/output-file.ts'
import { fetchBytes } from '../../cli/output/response-bytes.ts'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { forceFlag } from '../../cli/runtime/shared-flags.ts'

export default class OrderPdf extends SvcCommand {
  static override summary = "Download a lab order's requisition or results as a PDF"
  static override examples = toExamples('ORDER -o result.pdf', 'ORDER --document requisition -o requisition.pdf')
  static override args = { order: orderArgument() }
  static override flags = {
    document: option({
      options: ['result', 'requisition'] as const,
      description: 'Document to download',
      default: 'result' as const,
    })(),
    out: string({
      char: 'o',
      description: 'Write to a file instead of stdout',
      helpValue: 'FILE',
    }),
    force: forceFlag(),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OrderPdf)
    if (flags.out === undefined) checkRedirected('A PDF')
    else await checkOutFile(flags.out, flags.force)
    const id = flags.document === 'result' ? ('order.result_pdf' as const) : ('order.requisition_pdf' as const)
    const params = { order_id: args.order }
    const otherwise = `The response to ${id} is not a PDF.`
    const pieces = await fetchBytes(await this.client(), id, { params }, { otherwise })
    if (flags.out === undefined) return void (await writeStdout(pieces))
    const saved = await saveFile(flags.out, pieces, { mayReplace: flags.force })
    await this.print(saved, savedView(saved))
  }
}
