/**
 * Counts duplicates in an import: records in one file with the same key. The report counts records, but the merge sees each key only once.
 */
import type { SampleBatch } from '../../core/sample.ts'
import { ReportBuilder } from '../logic/samples/data-writer.ts'
import { originName } from '../logic/samples/origins.ts'
import type { BatchOutcome } from '../logic/samples/writer.ts'

export class Doubles {
  /** Counts of duplicates within the scratch file, either replaced or equal. */
  private readonly inside = new ReportBuilder()
  /** By series and start, the number of earlier values in the file that were superseded by a different one. Duplicates are rare. */
  private readonly superseded = new Map<string, Map<number, number>>()

  /** Called after a batch was written to the scratch file. */
  spilled(batch: SampleBatch, outcome: BatchOutcome): void {
    const { samples, replaced, unchanged } = outcome
    this.inside.addSamples(batch.series.resource, { samples, replaced, unchanged })
    this.remember(keyOf(batch, outcome), outcome.supersededStarts)
    this.remember(keyOf(batch, outcome), outcome.updated.start)
  }

  /** Called after a batch was written to the store. Adds the duplicates that the scratch file absorbed to the merge's counts. */
  merged(batch: SampleBatch, outcome: BatchOutcome, report: ReportBuilder): void {
    const name = batch.series.resource
    const inside = this.inside.stored[name]
    if (inside) {
      const doubles = inside.replaced + inside.unchanged
      report.addSamples(name, { samples: doubles, replaced: inside.replaced, unchanged: inside.unchanged })
      delete this.inside.stored[name]
    }
    this.remember(keyOf(batch, outcome), outcome.supersededStarts)
    const superseded = this.superseded.get(keyOf(batch, outcome))
    if (!superseded) return
    // a duplicate whose last value was already stored changes nothing, so repeating an import reports no replacements
    let shifted = 0
    for (const start of outcome.unchangedStarts) shifted += superseded.get(start) ?? 0
    if (shifted > 0) report.addSamples(name, { samples: 0, replaced: -shifted, unchanged: shifted })
  }

  /** Returns a copy for one attempt to merge, because a transaction may be retried. */
  copy(): Doubles {
    const copy = new Doubles()
    for (const [name, counts] of Object.entries(this.inside.stored)) copy.inside.addSamples(name, counts)
    for (const [series, counts] of this.superseded) copy.superseded.set(series, new Map(counts))
    return copy
  }

  private remember(key: string, starts: readonly number[] | Float64Array): void {
    if (starts.length === 0) return
    let counts = this.superseded.get(key)
    if (!counts) {
      counts = new Map()
      this.superseded.set(key, counts)
    }
    for (const start of starts) {
      counts.set(start, (counts.get(start) ?? 0) + 1)
    }
  }
}

function keyOf({ series }: SampleBatch, { origin }: BatchOutcome): string {
  return `${JSON.stringify(series)}\n${originName(origin)}`
}
