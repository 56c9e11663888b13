/** The data pulled from each provider, by resource. */
import { useEffect } from 'preact/hooks'
import { readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Card } from '../../parts/page.tsx'
import { Badge, type Tone } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

type Provider = ResponseOf<'introspect.historical_pulls'>['data'][number]['provider'][string]
type Pull = Provider['pulled'][string]
interface Row extends Pull {
  readonly resource: string
}

const TONES: Readonly<Record<string, Tone>> = { success: 'good', failure: 'bad', retrying: 'warn' }
/** States of a pull that has not ended. */
const RUNNING: readonly string[] = ['in_progress', 'scheduled', 'retrying']
const POLL_MS = 3_000

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Resource', cell: pull => readableName(pull.resource) },
  {
    title: 'State',
    cell: pull => (
      <>
        <Badge tone={TONES[pull.status] ?? 'accent'}>{readableName(pull.status)}</Badge>
        {pull.error_details && <p class="soft">{pull.error_details.error_message}</p>}
      </>
    ),
  },
  {
    title: 'Range',
    cell: pull =>
      pull.range_start && pull.range_end ? `${pull.range_start.slice(0, 10)} to ${pull.range_end.slice(0, 10)}` : '–',
  },
  {
    title: 'Days with data',
    isNumber: true,
    cell: pull => (pull.days_with_data === null ? '–' : count(pull.days_with_data)),
  },
  { title: 'Ended', cell: pull => (pull.timeline.ended_at ? <Ago at={pull.timeline.ended_at} /> : '–') },
]

interface PullsProps {
  readonly userId: string
  /** Identifies the user's connections. The pulls are reloaded when this value changes. */
  readonly version: string
}

export function Pulls({ userId, version }: PullsProps) {
  const load = useLoad('introspect.historical_pulls', { query: { user_id: userId } })
  const catalogue = useLoad('provider.list', { query: {} })
  const nameOf = (slug: string): string => catalogue.data?.find(each => each.slug === slug)?.name ?? slug
  const providers = Object.entries(load.data?.data[0]?.provider ?? {})
  const isRunning = providers.some(([, { pulled }]) =>
    Object.values(pulled).some(pull => RUNNING.includes(pull.status)),
  )
  useEffect(() => load.reload(), [version])
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(load.reload, POLL_MS)
    return () => clearInterval(timer)
  }, [isRunning, load.reload])
  return (
    <Card title="Pulls" isFlush>
      <Loaded load={load} lines={3}>
        {() =>
          providers.length === 0 ? (
            <Empty title="Nothing has been pulled yet">Link a provider to pull its history.</Empty>
          ) : (
            providers.map(([slug, provider]) => <ProviderPulls key={slug} name={nameOf(slug)} provider={provider} />)
          )
        }
      </Loaded>
    </Card>
  )
}

function ProviderPulls({ name, provider }: { readonly name: string; readonly provider: Provider }) {
  const rows = Object.entries(provider.pulled).map(([resource, pull]) => ({ ...pull, resource }))
  const failed = rows.filter(row => row.status === 'failure').length
  const unmapped = Object.entries(provider.unmapped ?? {})
  return (
    <details class="users-part">
      <summary>
        {name}{' '}
        <span class="soft">
          {count(rows.length)} {rows.length === 1 ? 'resource' : 'resources'} pulled
          {failed > 0 && `, ${count(failed)} failed`}
        </span>
      </summary>
      {rows.length > 0 && (
        <Table label={`Pulls of ${name}`} columns={COLUMNS} rows={rows} rowKey={row => row.resource} />
      )}
      {provider.not_pulled.length > 0 && (
        <p class="soft">Never pulled: {provider.not_pulled.map(readableName).join(', ')}</p>
      )}
      {unmapped.length > 0 && (
        <p class="soft">
          Values without a mapping: {unmapped.map(([kind, number]) => `${kind} (${count(number)})`).join(', ')}
        </p>
      )}
    </details>
  )
}
