/** The progress bar of an import: the current phase, the speed, and the remaining time. */
import type { CallProgress } from '../../client/client.ts'
import { formatCount } from '../../core/text.ts'
import { type ProgressStream, progressBar } from '../../output/progress.ts'
import { Throughput } from '../../output/throughput.ts'
import { letInterruptEnd } from '../runtime/interrupt.ts'

const TITLES: Readonly<Record<CallProgress['phase'], string>> = {
  sending: 'Sending',
  receiving: 'Receiving',
  unpacking: 'Unpacking',
  reading: 'Importing',
  storing: 'Storing',
  comparing: 'Comparing',
}

export interface ImportProgressBar {
  readonly onProgress: (progress: CallProgress) => void
  /** Removes the bar and listens for Ctrl-C again. */
  end(): void
}

/**
 * Returns the progress bar. Storing and comparing run in one synchronous transaction, and this process cannot handle signals meanwhile.
 * Ctrl-C then ends the process directly, which rolls the transaction back.
 */
export function importProgress(options: {
  readonly quiet: boolean
  readonly screen?: ProgressStream
  readonly now?: () => number
}): ImportProgressBar {
  const bar = progressBar(TITLES.reading, options)
  let phase: CallProgress['phase'] | undefined
  let throughput = new Throughput(options.now)
  let listenAgain = (): void => {}
  return {
    onProgress(progress) {
      const isNew = progress.phase !== phase
      if (isNew) {
        phase = progress.phase
        // an import for several users continues reading after storing
        listenAgain()
        throughput = new Throughput(options.now)
      }
      if (phase === 'storing' || phase === 'comparing') {
        if (!isNew) return
        const what = phase === 'storing' ? 'in one transaction' : 'with the stored data'
        // Release Ctrl-C before drawing the text, because a user may press it immediately.
        listenAgain = letInterruptEnd()
        bar.phase(TITLES[phase], `${formatCount(progress.records)} records, ${what}`)
        return
      }
      const isSent = phase === 'sending' && progress.totalBytes > 0 && progress.doneBytes >= progress.totalBytes
      if (isSent) return bar.phase('Sent', 'and waiting for the server to store it')
      const note = throughput.format(progress)
      if (isNew) bar.phase(TITLES[progress.phase], note)
      bar.update(progress.doneBytes, progress.totalBytes, note)
    },
    end() {
      listenAgain()
      bar.end()
    },
  }
}
