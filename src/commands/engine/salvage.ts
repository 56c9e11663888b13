/** `svc engine salvage`. */
import { string } from '@oclif/core/flags'
import { SvcCommand, toExamples } from '../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../cli/runtime/interrupt.ts'
import { salvageDocument, salvageView } from '../../cli/views/salvage-view.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatCount } from '../../core/text.ts'
import { salvageFolder } from '../../engine/folder.ts'
import { progressBar } from '../../output/progress.ts'

export default class EngineSalvage extends SvcCommand {
  static override summary = 'Copy all intact data from a damaged data folder to a new one'
  static override description =
    'The damaged folder is not changed, and a server may be running on it. Lists the data missing from the new ' +
    'folder by user, resource and day, but never any values. The report is always printed; if something is missing, ' +
    'the command exits with code 2. Snapshots are not copied. If there is a recent snapshot, restoring it may ' +
    'recover more.'
  static override examples = toExamples('--to salvaged', '--data-dir damaged --to salvaged --json')
  static override flags = {
    to: string({ description: 'Folder to write; must be new or empty', required: true, helpValue: 'DIR' }),
  }

  protected override readonly isPaged = false

  async run(): Promise<void> {
    const { flags } = await this.parse(EngineSalvage)
    const { baseUrl, dataDir } = this.settings
    if (baseUrl.value !== null) {
      throw new ServiceError('usage', 'A salvage needs the files of a data folder and cannot use a server.', {
        suggestions: ['Run it on the machine with the folder, with --profile local and --data-dir FOLDER.'],
      })
    }
    this.refuseUnsupported('salvage')
    const bar = progressBar('Reading', { quiet: this.isQuiet })
    bar.phase('Reading', 'the file')
    try {
      const report = await salvageFolder({
        from: dataDir.value,
        to: flags.to,
        now: Date.now(),
        signal: interruptSignal(),
        onPages: (done, total) => bar.update(done, total, `${formatCount(done)} of ${formatCount(total)} pages`),
        onPhase: phase => bar.phase(phase === 'repairing' ? 'Repairing' : 'Checking', 'the new folder'),
      })
      bar.end()
      const document = salvageDocument(report)
      await this.print(document, { ...salvageView(document), isOneDocument: true })
      if (document.ok) return this.hint(`To look at the new folder: svc engine status --data-dir ${report.to}`)
      const { left_out_count: rows, unreadable_pages: pages } = document
      throw new ServiceError(
        'data_damaged',
        `Not everything could be copied: ${rows} rows were left out, and ${pages} pages cannot be read.`,
        {
          suggestions: ['Import the missing data again, or restore it from a snapshot: svc engine snapshot list'],
        },
      )
    } finally {
      bar.end()
    }
  }
}
