/** The period that is shown as a command. */
import type { View } from '../../../parts/chart/series.ts'
import { Card } from '../../../parts/page.tsx'
import { Command } from '../../../parts/small.tsx'
import { instantOf, instantText } from '../floating.ts'
import type { TimeseriesResource } from '../resources.ts'

interface TakeAwayProps {
  readonly userId: string
  readonly zone: string | null
  readonly resource: TimeseriesResource
  readonly view: View
}

export function TakeAway({ userId, zone, resource, view }: TakeAwayProps) {
  const start = instantText(instantOf(view.from, zone))
  // the end of a view is exclusive, that of the command inclusive
  const end = instantText(instantOf(view.to, zone) - 1)
  return (
    <Card title="The same samples elsewhere">
      <Command words={['svc', 'timeseries', 'get', userId, resource.resource, '--start', start, '--end', end]} />
    </Card>
  )
}
