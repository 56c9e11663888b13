/** Downloads the samples in the shown time range as a file, and shows the command that prints them. */
import { callUrl } from '../../../api/call.ts'
import { LinkButton } from '../../../parts/button.tsx'
import type { View } from '../../../parts/chart/series.ts'
import { fromFloating, instantText } from '../../../parts/floating.ts'
import { Card } from '../../../parts/page.tsx'
import { Command } from '../../../parts/small.tsx'
import type { TimeseriesResource } from '../resources.ts'

interface TakeAwayProps {
  readonly userId: string
  readonly zone: string | null
  readonly resource: TimeseriesResource
  readonly view: View
}

export function TakeAway({ userId, zone, resource, view }: TakeAwayProps) {
  const start = instantText(fromFloating(view.from, zone))
  // a view's end is exclusive, but the command's end is inclusive
  const end = instantText(fromFloating(view.to, zone) - 1)
  const fileOf = (format: 'csv' | 'parquet'): string =>
    callUrl('timeseries.download', {
      params: { user_id: userId, resource: resource.resource },
      query: { start_date: start, end_date: end, format },
    })
  return (
    <Card
      title="Download these samples"
      actions={
        <>
          <LinkButton isSmall isDownload href={fileOf('csv')}>
            Download CSV
          </LinkButton>
          <LinkButton isSmall isDownload href={fileOf('parquet')}>
            Download Parquet
          </LinkButton>
        </>
      }
    >
      <p class="soft data-note">The files and the command contain the stored samples of all sources, not merged.</p>
      <Command words={['svc', 'timeseries', 'get', userId, resource.resource, '--start', start, '--end', end]} />
    </Card>
  )
}
