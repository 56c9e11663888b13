/** Sends the samples in a range as a file: the same rows and columns as `svc timeseries get`, read page by page. */
import { nextLoopTick } from '../../core/time-slice.ts'
import type { EngineContext, Handler } from '../context.ts'
import { download } from '../download.ts'
import { type RowPages, samplesAsCsv, samplesAsParquet } from './sample-file.ts'
import { groupSamples } from './sample-groups.ts'
import { inTimeOrder } from './sample-order.ts'
import { type AskedSamples, askedSamples } from './timeseries.ts'

export const downloadTimeseries: Handler<'timeseries.download'> = async (engine, { params, query }, call) => {
  const asked = await askedSamples(engine, { params, query }, call)
  const { resource } = asked
  const pages = rowPages(engine, asked, asked.end ?? call.now)
  const pieces =
    query.format === 'csv'
      ? samplesAsCsv(pages, resource, { isSafe: query.safe_csv })
      : samplesAsParquet(pages, resource)
  return download(resource.name, query.format, pieces, call.signal)
}

async function* rowPages(
  { store, pageSize }: EngineContext,
  { userId, resource, provider, from }: AskedSamples,
  to: number,
): RowPages {
  const range = { resource: resource.name, provider: provider || null, from, to }
  for (let after: Parameters<typeof store.samples.page>[2] = null; ; ) {
    const page = await store.samples.page(userId, range, after, pageSize)
    const groups = groupSamples(resource, page.slices)
    yield inTimeOrder({ groups })
    if (page.next === null) return
    after = page.next
    await nextLoopTick()
  }
}
