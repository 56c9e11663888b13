/** `svc engine check`. */
import { SvcCommand } from '../../cli/base-command.ts'
import { interruptSignal } from '../../cli/interrupt.ts'
import type { ReplyBody } from '../../contract/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { progressBar } from '../../output/progress.ts'
import { fields, view } from '../../output/view.ts'

type Problem = ReplyBody<Operations['engine.check']>['problems'][number]

export default class EngineCheck extends SvcCommand {
  static override summary = 'Check the database, and every chunk of samples against the figures beside it'
  static override description =
    'Changes nothing; others may read and write meanwhile. The report is printed either way; with problems it ends with 2.'
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json']

  async run(): Promise<void> {
    await this.parse(EngineCheck)
    const bar = progressBar('Checking', { quiet: this.isQuiet })
    bar.phase('Checking', 'the file')
    try {
      const report = await this.ask(
        'engine.check',
        {},
        {
          signal: interruptSignal(),
          onProgress: ({ doneBytes, totalBytes, records }) =>
            bar.update(doneBytes, totalBytes, `${records.toLocaleString('en')} samples`),
        },
      )
      bar.end()
      const sound = `All is well: ${report.samples.toLocaleString('en')} samples in ${report.chunks.toLocaleString('en')} chunks.`
      await this.print(report, {
        ...view(report.problems, fields<Problem>('what', 'user_id', 'message'), sound),
        isOneDocument: true,
      })
      if (report.ok) return
      throw new ServiceError('data_damaged', `The check found ${report.problem_count} problems.`, {
        suggestions: ['Restore a copy of the data folder made before the damage, or import the data again.'],
      })
    } finally {
      bar.end()
    }
  }
}
