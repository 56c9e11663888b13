/** Draws samples as a chart, with one series for each source, drawn as bars or lines depending on the resource. */
import { isAmount, type TimeseriesResource } from '../../catalogue/resources.ts'
import { formatTitle, unitText } from '../../catalogue/wording.ts'
import { ServiceError } from '../../core/errors.ts'
import { type GroupedPage, inTimeOrder, type SampleRow, sampleStart } from '../../engine/readings/sample-order.ts'
import { type Chart, ChartBuilder } from '../../output/chart.ts'

/** Throws ServiceError `usage` for a resource whose samples are not numbers. */
export function checkDrawable(resource: TimeseriesResource | undefined): void {
  if (resource?.shape !== 'text') return
  throw new ServiceError('usage', `The samples of ${resource.name} are text, so there is nothing to draw.`, {
    suggestions: ['Use another --output: table, json, ndjson, csv or parquet.'],
  })
}

/** Reads all pages; keeps only the times and values of each sample. */
export async function sampleChart(pages: AsyncIterable<GroupedPage>, resource: TimeseriesResource): Promise<Chart> {
  const builder = new ChartBuilder()
  for await (const page of pages) {
    for (const row of inTimeOrder(page)) addSample(builder, row, resource)
  }
  const mark = isAmount(resource) ? 'bars' : 'line'
  return builder.build({ title: formatTitle(resource.name), unit: unitText(resource.unit), mark, points: 'samples' })
}

function addSample(builder: ChartBuilder, { source, sample }: SampleRow, resource: TimeseriesResource): void {
  const type = resource.discriminator === undefined ? undefined : sample['type']
  const name = [source.provider, source.type, type].filter(Boolean).join(' · ')
  const start = Date.parse(sampleStart(sample))
  const end = typeof sample['end'] === 'string' ? Date.parse(sample['end']) : start
  const isPressure = resource.shape === 'blood_pressure'
  for (const field of isPressure ? ['systolic', 'diastolic'] : ['value']) {
    const value = sample[field]
    if (typeof value === 'number') builder.add(isPressure ? `${name} · ${field}` : name, start, end, value)
  }
}
