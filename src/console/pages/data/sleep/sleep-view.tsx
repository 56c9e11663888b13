/** A list of nights. The chosen night has its stages over time, its numbers, and the measurements during it. */
import { useMemo, useState } from 'preact/hooks'
import { formatTitle, readableName, unitText } from '../../../../catalogue/wording.ts'
import { call, type ResponseOf } from '../../../api/call.ts'
import { useLoader } from '../../../api/use-call.ts'
import { momentText } from '../../../parts/chart/readout.ts'
import type { ChartSeries, View } from '../../../parts/chart/series.ts'
import { Card, Facts } from '../../../parts/page.tsx'
import { dateText } from '../../../parts/period.tsx'
import { Badge, Command } from '../../../parts/small.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { Channels } from '../channels.tsx'
import type { ItemViewProps } from '../data-state.ts'
import { ItemList } from '../item-list.tsx'
import { Filled, Members } from '../members.tsx'
import { filledBy, type Session, sessionSources, timesOf } from '../sessions.ts'
import { floatingIn } from '../summaries/summaries.ts'
import { Columns } from '../timeseries/columns.ts'
import { describeStages, lengthText, NIGHTS, type Night, type Stage, StageTable, stageSeries } from './night.tsx'

export function SleepView(props: ItemViewProps) {
  const { zone } = props
  return (
    <ItemList<Night>
      {...props}
      of={NIGHTS}
      noun="nights"
      apart={{ noun: 'naps', title: 'Nap', has: ({ merged }) => merged?.role === 'nap' }}
      link={{ title: 'Night', textOf: night => dateText(night.calendar_date) }}
      columns={[
        { title: 'Type', cell: night => readableName(night.type) },
        { title: 'In bed from', cell: night => momentText(floatingIn(night, night.bedtime_start, zone)) },
        { title: 'Asleep', isNumber: true, cell: night => lengthText(night.total) },
        {
          title: 'Efficiency',
          isNumber: true,
          cell: night => (night.efficiency === null ? '' : `${night.efficiency} %`),
        },
        { title: 'Score', isNumber: true, cell: night => night.score ?? '' },
      ]}
    >
      {(session, onOpen) => (
        <NightView key={`${session.item.id} ${session.merged !== null}`} {...{ session, zone, onOpen }} />
      )}
    </ItemList>
  )
}

interface NightViewProps {
  readonly session: Session<Night>
  readonly zone: string | null
  /** Opens a stored session. */
  readonly onOpen: (id: string) => void
}

function NightView({ session, zone, onOpen }: NightViewProps) {
  const { item: night, merged } = session
  const ids = streamsOf(session)
  const stream = useLoader(`night ${ids}`, signal => readStreams(ids, signal))
  const view = timesOf(NIGHTS, night, zone)
  const filled = (column: string, text: string | null) =>
    text === null ? null : <Filled text={text} source={filledBy(merged, column)} />
  return (
    <Card
      title={`${merged?.role === 'nap' ? 'Nap' : 'Night'} of ${dateText(night.calendar_date)}, ${sessionSources(session)}`}
      actions={merged?.role ? <Badge>{formatTitle(merged.role)}</Badge> : <Badge>Stored session</Badge>}
    >
      <Loaded load={stream} lines={8}>
        {data => <Stream data={data} night={night} zone={zone} whole={view} />}
      </Loaded>
      <Facts
        rows={[
          ['In bed', `${momentText(view.from)} to ${momentText(view.to)} (${lengthText(night.duration)})`],
          ['Asleep', lengthText(night.total)],
          ['Light, REM, deep', `${lengthText(night.light)}, ${lengthText(night.rem)}, ${lengthText(night.deep)}`],
          ['Awake', lengthText(night.awake)],
          ['Time to fall asleep', filled('latency_second', night.latency === null ? null : lengthText(night.latency))],
          ['Efficiency', filled('efficiency', night.efficiency === null ? null : `${night.efficiency} %`)],
          ['Score', filled('score', night.score === null ? null : `${night.score}`)],
          [
            'Lowest heart rate',
            filled('heart_rate_minimum', night.hr_lowest === null ? null : `${night.hr_lowest} bpm`),
          ],
          ['Mean HRV', filled('hrv_mean_rmssd', night.average_hrv === null ? null : `${night.average_hrv} ms`)],
        ]}
      />
      {merged && <Members {...{ merged, zone, onOpen }} of={NIGHTS} values="Times, stages and values" />}
      <Command words={['svc', 'timeseries', 'stream', night.id]} />
    </Card>
  )
}

type SleepStream = ResponseOf<'timeseries.sleep_stream'>

/** Returns the IDs of the stored sessions whose streams are that of the night. */
function streamsOf({ item, merged }: Session<Night>): readonly string[] {
  const parts = merged?.members.filter(({ use }) => use === 'values').map(({ id }) => id) ?? []
  return parts.length === 0 ? [item.id] : parts
}

/** Reads the stages of a night. Throws Problem. */
export async function readStages(
  session: Session<Night>,
  zone: string | null,
  signal: AbortSignal,
): Promise<readonly Stage[]> {
  return nightStages(await readStreams(streamsOf(session), signal), session.item, zone)
}

/** Reads the streams of all parts of a night as one. Throws Problem. */
async function readStreams(ids: readonly string[], signal: AbortSignal): Promise<SleepStream> {
  const read = (id: string) => call('timeseries.sleep_stream', { params: { sleep_id: id } }, { signal })
  const [first, ...others] = await Promise.all(ids.map(read))
  const joined: Record<string, unknown> = { ...first }
  for (const [name, samples] of Object.entries(joined)) {
    if (!Array.isArray(samples)) continue
    const rest = others.flatMap(other => other[name as keyof SleepStream]) // of the same schema
    joined[name] = [...samples, ...rest].sort((a, b) => (a.start < b.start ? -1 : 1))
  }
  return joined as SleepStream // with the same fields
}

interface StreamProps {
  readonly data: SleepStream
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
  const stages = useMemo(() => nightStages(data, night, zone), [data, night, zone])
  const channels = useMemo(
    () => [...(stages.length > 0 ? [stageSeries(stages)] : []), ...nightChannels(data, night, zone)],
    [stages],
  )
  return (
    <>
      {stages.length === 0 && <Empty title="This night has no stages">Its source sends only totals.</Empty>}
      {channels.length > 0 && (
        <Channels
          label="the night"
          {...{ channels, whole, view }}
          onView={setView}
          stagesText={describeStages(stages)}
        />
      )}
      {stages.length > 0 && <StageTable stages={stages} />}
    </>
  )
}

function nightStages(data: SleepStream, night: Night, zone: string | null): readonly Stage[] {
  const timeOf = (value: unknown): number => floatingIn(night, String(value), zone)
  return data.hypnogram.map(({ start, end, value }) => ({ from: timeOf(start), to: timeOf(end), stage: Number(value) }))
}

/** Returns one series for each channel with samples. */
function nightChannels(data: SleepStream, night: Night, zone: string | null): readonly ChartSeries[] {
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
