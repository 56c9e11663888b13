/** Counts samples that are stored although their values are implausible. See docs/interface/plausibility.md#plausibility-5. */
import type { SampleBatch } from '../../core/sample.ts'
import { implausibleRows } from '../aggregate/scan/implausible.ts'
import { rowKinds } from '../aggregate/scan/sample-kinds.ts'

/** Adds the batches' implausible samples to the counts by resource. */
export function countImplausible(batches: readonly SampleBatch[], counts: Map<string, number>): void {
  for (const batch of batches) {
    const { series } = batch
    const marked = implausibleRows({ source: series, stored: batch, kinds: () => rowKinds(series, batch) })
    const count = marked?.reduce((sum, mark) => sum + mark, 0) ?? 0
    if (count > 0) counts.set(series.resource, (counts.get(series.resource) ?? 0) + count)
  }
}
