/** Sleep stages over time as a chart, in words and as a table. */
import { useId } from 'preact/hooks'
import { momentText } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { timeTicks } from '../../../parts/chart/time-axis.ts'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { Empty } from '../../../parts/states.tsx'
import { lengthText } from './night.ts'

/** An uninterrupted time in one stage. Times are floating, in seconds. */
export interface Stage {
  readonly from: number
  readonly to: number
  readonly stage: number
}

/** Titles of the service's numeric stages, from the top of the chart to the bottom. */
const ROWS = [
  { stage: 4, title: 'Awake', name: 'awake' },
  { stage: 3, title: 'REM', name: 'rem' },
  { stage: 2, title: 'Light', name: 'light' },
  { stage: 1, title: 'Deep', name: 'deep' },
  { stage: 5, title: 'Entered by hand', name: 'manual' },
] as const
const UNKNOWN = 'Unknown'
const ROW_HEIGHT = 30
const BAR_HEIGHT = 20
const WIDTH = 1000
const PER_PAGE = 10
/** Maximum number of time labels below the chart, so that they fit on a phone. */
const MOST_TICKS = 6

const stageTitle = (stage: number): string => ROWS.find(row => row.stage === stage)?.title ?? UNKNOWN

export function Hypnogram({ stages, whole }: { readonly stages: readonly Stage[]; readonly whole: View }) {
  const described = useId()
  if (stages.length === 0) return <Empty title="This night has no stages">Its source sends only totals.</Empty>
  const rows = ROWS.filter(row => row.stage !== 5 || stages.some(each => each.stage === 5))
  const x = (at: number): number => ((at - whole.from) / (whole.to - whole.from)) * WIDTH
  const y = (stage: number): number => rows.findIndex(row => row.stage === stage) * ROW_HEIGHT
  const ticks = timeTicks(whole.from, whole.to, (whole.to - whole.from) / MOST_TICKS)
  const drawn = stages.filter(({ stage }) => y(stage) >= 0)
  return (
    <figure class="hypnogram">
      <div class="hypnogram-picture">
        <div class="hypnogram-names" aria-hidden="true">
          {rows.map(row => (
            <span key={row.name}>{row.title}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${rows.length * ROW_HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Stages over time"
          aria-describedby={described}
        >
          {rows.map((row, i) => (
            <line key={row.name} class="hypnogram-line" x1="0" x2={WIDTH} y1={i * ROW_HEIGHT} y2={i * ROW_HEIGHT} />
          ))}
          {ticks.at.map(at => (
            <line key={at} class="hypnogram-line" x1={x(at)} x2={x(at)} y1="0" y2={rows.length * ROW_HEIGHT} />
          ))}
          {drawn.slice(1).map((each, i) => {
            const before = drawn[i]
            if (!before || before.to !== each.from) return null
            const middle = (stage: number) => y(stage) + ROW_HEIGHT / 2
            return (
              <line
                key={each.from}
                class="hypnogram-step"
                x1={x(each.from)}
                x2={x(each.from)}
                y1={middle(before.stage)}
                y2={middle(each.stage)}
              />
            )
          })}
          {drawn.map(each => (
            <rect
              key={each.from}
              class={`hypnogram-${ROWS.find(row => row.stage === each.stage)?.name}`}
              x={x(each.from)}
              width={Math.max(1, x(each.to) - x(each.from))}
              y={y(each.stage) + (ROW_HEIGHT - BAR_HEIGHT) / 2}
              height={BAR_HEIGHT}
            />
          ))}
        </svg>
        <svg class="hypnogram-times" aria-hidden="true">
          {ticks.at.map((at, i) => (
            <text key={at} x={`${(x(at) / WIDTH) * 100}%`} y="1em" text-anchor="middle">
              {/* the day is in the title */}
              {ticks.labels[i]?.split('\n')[0]}
            </text>
          ))}
        </svg>
      </div>
      <figcaption class="soft data-note" id={described}>
        {describeStages(stages)}
      </figcaption>
      <StageTable stages={stages} />
    </figure>
  )
}

function describeStages(stages: readonly Stage[]): string {
  const totals = ROWS.flatMap(row => {
    const own = stages.filter(({ stage }) => stage === row.stage)
    const seconds = own.reduce((sum, { from, to }) => sum + to - from, 0)
    return own.length === 0
      ? []
      : [`${row.title} ${lengthText(seconds)} in ${own.length} ${own.length === 1 ? 'part' : 'parts'}`]
  })
  return `${stages.length} stages: ${totals.join(', ')}.`
}

function StageTable({ stages }: { readonly stages: readonly Stage[] }) {
  return (
    <details>
      <summary>Stages as a table</summary>
      <PagedTable
        label="Stages"
        columns={[
          { title: 'From', cell: ({ from }) => momentText(from) },
          { title: 'To', cell: ({ to }) => momentText(to) },
          { title: 'Stage', cell: ({ stage }) => stageTitle(stage) },
          { title: 'Length', isNumber: true, cell: ({ from, to }) => lengthText(to - from) },
        ]}
        rows={stages}
        rowKey={({ from, stage }) => `${from} ${stage}`}
        perPage={PER_PAGE}
        noun="stages"
      />
    </details>
  )
}
