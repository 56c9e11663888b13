/** `svc engine check`. */
import { Flags } from '@oclif/core'
import { SvcCommand } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { progressBar } from '../../output/progress.ts'
import { fields, view } from '../../output/view.ts'

type Problem = ReplyBody<Operations['engine.check']>['problems'][number]

export default class EngineCheck extends SvcCommand {
  static override summary =
    'Check the database: every row of user data against its checksum, every chunk against the figures beside it'
  static override description =
    'Changes nothing; others may read and write meanwhile. The report is printed either way; with problems it ends with 2.'
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
    '<%= config.bin %> <%= command.id %> --rewrite',
  ]
  static override flags = {
    rewrite: Flags.boolean({
      summary: 'Also give a checksum to each sound row that an older svc wrote',
      default: false,
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(EngineCheck)
    const bar = progressBar('Checking', { quiet: this.isQuiet })
    bar.phase('Checking', 'the file')
    try {
      const report = await this.ask(
        'engine.check',
        { query: { rewrite: flags.rewrite } },
        {
          signal: interruptSignal(),
          onProgress: ({ doneBytes, totalBytes, records }) =>
            bar.update(doneBytes, totalBytes, `${records.toLocaleString('en')} samples`),
        },
      )
      bar.end()
      const rewritten = flags.rewrite ? ` ${report.rewritten.toLocaleString('en')} rows got a checksum.` : ''
      const sound = `All is well: ${report.samples.toLocaleString('en')} samples in ${report.chunks.toLocaleString('en')} chunks.${rewritten}`
      await this.print(report, {
        ...view(report.problems, fields<Problem>('what', 'user_id', 'message'), sound),
        isOneDocument: true,
      })
      if (report.ok) return
      throw new ServiceError('data_damaged', `The check found ${report.problem_count} problems.`, {
        suggestions: [
          '`svc engine snapshot restore NAME` brings back the state of a snapshot.',
          '`svc engine salvage --to DIR` copies everything that is sound into a new folder, where each index is made anew.',
        ],
      })
    } finally {
      bar.end()
    }
  }
}
