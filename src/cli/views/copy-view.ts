/** Progress and report of `svc engine copy`. */
import { formatCount } from '../../core/text.ts'
import type { CopyProgress, CopyReport } from '../../engine/folder.ts'
import { progressBar } from '../../output/progress.ts'
import { sizeText, Throughput } from '../../output/throughput.ts'
import { type Facts, factSheet, type View } from '../../output/view.ts'

/** Returns the report as a document. */
export function copyDocument({ isContinued, seconds, ...counts }: CopyReport) {
  return { ...counts, seconds: Math.round(seconds * 1000) / 1000, continued: isContinued }
}

/** Returns the report as lines for a terminal. */
export function copyView(document: ReturnType<typeof copyDocument>): View<Facts> {
  const { users, samples, events, rows, bytes, seconds } = document
  const number = formatCount
  return {
    ...factSheet(document),
    sheet: {
      head: ['field', 'value'],
      rows: [
        ['from', document.from],
        ['to', document.to],
        ['users', number(users)],
        ['samples', number(samples)],
        ['events', number(events)],
        ['rows', number(rows)],
        ['samples and documents', sizeText(bytes)],
        ['seconds', seconds.toFixed(1)],
      ],
    },
  }
}

/** Returns a progress bar for a copy. The remaining time is estimated from the rows. */
export function copyProgress(options: { readonly quiet: boolean }) {
  const bar = progressBar('Copying', options)
  const throughput = new Throughput()
  return {
    onProgress({ phase, table, rows, totalRows, bytes }: CopyProgress) {
      if (phase === 'comparing') return bar.phase('Comparing', 'the source with the copy')
      const speed = throughput.format({ doneBytes: bytes, totalBytes: 0, records: rows })
      bar.update(rows, totalRows, `${table} · ${speed}`)
    },
    end: () => bar.end(),
  }
}
