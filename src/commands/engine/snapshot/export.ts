/** `svc engine snapshot export`. */
import { string as stringArg } from '@oclif/core/args'
import { boolean } from '@oclif/core/flags'
import { checkRedirected, writeStdout } from '../../../cli/output/output-file.ts'
import { fetchBytes } from '../../../cli/output/response-bytes.ts'
import { checkSnapshotFile, saveSnapshot } from '../../../cli/output/snapshot-file.ts'
import { SvcCommand, toExamples } from '../../../cli/runtime/base-command.ts'
import { interruptSignal } from '../../../cli/runtime/interrupt.ts'
import { progressBar } from '../../../output/progress.ts'
import { sizeText } from '../../../output/throughput.ts'
import { factSheet } from '../../../output/view.ts'

const STDOUT = '-'

export default class EngineSnapshotExport extends SvcCommand {
  static override summary = 'Copy the store to a file while it is in use'
  static override description =
    'The copy contains the store as it was at one moment; other processes can read and write during the export. To ' +
    'use it, put it into a data folder as svc.db. Existing cursors and links work only with the master key of the ' +
    'original store, which is not included. Keys of running servers do not work in the copy.'
  static override examples = toExamples('backup.db', 'backup.db --force --json', '- | gzip > backup.db.gz')
  static override args = { file: stringArg({ required: true, description: 'File to write; - writes to stdout' }) }
  static override flags = { force: boolean({ description: 'Replace an existing file' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EngineSnapshotExport)
    const { file } = args
    if (file === STDOUT) checkRedirected('A snapshot', 'FILE instead of -')
    else await checkSnapshotFile(file, flags.force, this.settings.dataDir.value)
    const signal = interruptSignal()
    const progress = progressBar('Copying', { quiet: this.isQuiet })
    progress.phase('Copying', 'the store')
    try {
      const options = { signal, otherwise: 'The response is not a snapshot.' }
      const pieces = await fetchBytes(await this.client(), 'engine.snapshot', {}, options)
      if (file === STDOUT) return void (await writeStdout(pieces))
      const onBytes = (bytes: number) => progress.update(0, 0, sizeText(bytes))
      const saved = await saveSnapshot(file, pieces, { mayReplace: flags.force, onBytes })
      progress.end()
      await this.print(saved, factSheet({ ...saved }))
      this.hint(
        'The file contains health data. Keep it safe. To open it, save it as svc.db in an empty folder and use ' +
          '--data-dir.',
      )
    } finally {
      progress.end()
    }
  }
}
