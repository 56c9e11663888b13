/** The progress bar of an import: what is going on, how fast, and how long it will still take. */
import type { CallProgress } from '../../client/client.ts'
import { progressBar, type Screen } from '../../output/progress.ts'
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
  /** Takes the bar away, and listens to Ctrl-C again. */
  end(): void
}

/**
 * Storing and comparing are one transaction, during which nothing of this process gets its turn: Ctrl-C then ends the process itself, and the
 * transaction with it.
 */
export function importProgress(options: {
  readonly quiet: boolean
  readonly screen?: Screen
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
        throughput = new Throughput(options.now)
      }
      if (phase === 'storing' || phase === 'comparing') {
        if (!isNew) return
        const what = phase === 'storing' ? 'all at once' : 'with what is stored'
        // first this: who reads the words may press Ctrl-C at once
        listenAgain = letInterruptEnd()
        bar.phase(TITLES[phase], `${progress.records.toLocaleString('en')} records, ${what}`)
        return
      }
      const isSent = phase === 'sending' && progress.totalBytes > 0 && progress.doneBytes >= progress.totalBytes
      if (isSent) return bar.phase('Sent', 'and waiting for the server to store it')
      const note = throughput.say(progress)
      if (isNew) bar.phase(TITLES[progress.phase], note)
      bar.update(progress.doneBytes, progress.totalBytes, note)
    },
    end() {
      listenAgain()
      bar.end()
    },
  }
}
