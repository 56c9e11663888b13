/** `svc engine check`. */

import { boolean } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import type { ResponseOf } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatCount } from '../../core/text.ts'
import { progressBar } from '../../output/progress.ts'
import { fields, view } from '../../output/view.ts'

type Problem = ResponseOf<'engine.check'>['problems'][number]

export default class EngineCheck extends SvcCommand {
  static override summary = 'Check every row and chunk of user data for damage'
  static override description =
    'Compares every row of user data with its checksum, and every chunk with the figures stored next to it. Changes ' +
    'nothing unless --rewrite is given; other processes can read and write during the check. The report is always ' +
    'printed; if it lists problems, the command exits with code 2.'
  static override examples = toExamples('', '--json', '--rewrite')
  static override flags = {
    rewrite: boolean({
      description: 'Also add a checksum to each intact row that an older svc version wrote',
    }),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { flags } = await this.parse(EngineCheck)
    if (flags.rewrite) this.refuseUnsupported('checksum_rewrite')
    const bar = progressBar('Checking', { quiet: this.isQuiet })
    bar.phase('Checking', 'the file')
    try {
      const report = await this.ask(
        'engine.check',
        { query: { rewrite: flags.rewrite } },
        {
          signal: interruptSignal(),
          onProgress: ({ doneBytes, totalBytes, records }) =>
            bar.update(doneBytes, totalBytes, `${formatCount(records)} samples`),
        },
      )
      bar.end()
      const rewritten = flags.rewrite ? ` Added checksums to ${formatCount(report.rewritten)} rows.` : ''
      const sound = `No problems found: ${formatCount(report.samples)} samples in ${formatCount(report.chunks)} chunks.${rewritten}`
      await this.print(report, {
        ...view(report.problems, fields<Problem>('what', 'user_id', 'message'), sound),
        isOneDocument: true,
      })
      if (report.ok) return
      throw new ServiceError(
        'data_damaged',
        `The check found ${report.problem_count} problem${report.problem_count === 1 ? '' : 's'}.`,
        {
          suggestions: [
            'To return to an earlier state, run `svc engine snapshot restore NAME`, or restore a backup of the PostgreSQL database.',
            'To copy all intact data of a data folder to a new one with rebuilt indexes, run `svc engine salvage --to DIR`.',
          ],
        },
      )
    } finally {
      bar.end()
    }
  }
}
