/** One night, with its stages over time, its numbers, and the measurements during it. */

import { useMemo, useState } from 'preact/hooks'
import { unitText } from '../../../../catalogue/wording.ts'
import type { ResponseOf } from '../../../api/call.ts'
import { useLoad } from '../../../api/use-call.ts'
import { momentText } from '../../../parts/chart/readout.ts'
import type { ChartSeries, View } from '../../../parts/chart/series.ts'
import { Card, Facts } from '../../../parts/page.tsx'
import { Command } from '../../../parts/small.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { Channel } from '../channel.tsx'
import { sourceText } from '../resources.ts'
import { floatingIn } from '../summaries/summaries.ts'
import { Columns } from '../timeseries/columns.ts'
import { Hypnogram, type Stage } from './hypnogram.tsx'
import { lengthText, type Night } from './night.ts'

interface NightViewProps {
  readonly night: Night
  readonly zone: string | null
}

export function NightView({ night, zone }: NightViewProps) {
  const stream = useLoad('timeseries.sleep_stream', { params: { sleep_id: night.id } })
  const view = {
    from: floatingIn(night, night.bedtime_start, zone),
    to: floatingIn(night, night.bedtime_stop, zone),
  }
  return (
    <Card title={`Night of ${night.calendar_date}, ${sourceText(night.source)}`}>
      <Loaded load={stream} lines={8}>
        {data => <Stream data={data} night={night} zone={zone} whole={view} />}
      </Loaded>
      <Facts
        rows={[
          ['In bed', `${momentText(view.from)} to ${momentText(view.to)} (${lengthText(night.duration)})`],
          ['Asleep', lengthText(night.total)],
          ['Light, REM, deep', `${lengthText(night.light)}, ${lengthText(night.rem)}, ${lengthText(night.deep)}`],
          ['Awake', lengthText(night.awake)],
          ['Time to fall asleep', night.latency === null ? null : lengthText(night.latency)],
          ['Efficiency', night.efficiency === null ? null : `${night.efficiency} %`],
          ['Score', night.score],
          ['Lowest heart rate', night.hr_lowest === null ? null : `${night.hr_lowest} bpm`],
          ['Mean HRV', night.average_hrv === null ? null : `${night.average_hrv} ms`],
        ]}
      />
      <Command words={['svc', 'timeseries', 'stream', night.id]} />
    </Card>
  )
}

interface StreamProps {
  readonly data: ResponseOf<'timeseries.sleep_stream'>
  readonly night: Night
  readonly zone: string | null
  readonly whole: View
}

/** Charts below the stages, with their colors. */
const CHANNELS = [
  { name: 'heartrate', title: 'Heart rate', color: 6 },
  { name: 'hrv', title: 'Heart rate variability', color: 3 },
  { name: 'respiratory_rate', title: 'Respiratory rate', color: 1 },
] as const

function Stream({ data, night, zone, whole }: StreamProps) {
  const [view, setView] = useState(whole)
  const channels = useMemo(() => nightChannels(data, night, zone), [data, night, zone])
  const stages = data.hypnogram.map(
    (sample): Stage => ({
      from: floatingIn(night, String(sample['start']), zone),
      to: floatingIn(night, String(sample['end']), zone),
      stage: Number(sample['value']),
    }),
  )
  return (
    <>
      <Hypnogram stages={stages} whole={whole} />
      {channels.map((channel, i) => (
        <Channel key={channel.key} {...{ channel, whole, view }} onView={setView} hasButtons={i === 0} />
      ))}
    </>
  )
}

/** Returns one series for each channel with samples. */
function nightChannels(
  data: ResponseOf<'timeseries.sleep_stream'>,
  night: Night,
  zone: string | null,
): readonly ChartSeries[] {
  return CHANNELS.flatMap(({ name, title, color }): ChartSeries[] => {
    const samples = data[name]
    if (samples.length === 0) return []
    const columns = new Columns()
    for (const sample of samples) {
      const at = floatingIn(night, String(sample['start']), zone)
      columns.add(at, at, Number(sample['value']))
    }
    const unit = unitText(String(samples[0]?.['unit'] ?? ''))
    return [{ key: name, label: title, unit, color, ...columns.take(false) }]
  })
}
