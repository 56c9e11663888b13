/** Every part of the console in every state. No menu leads here; a test compares pictures of it (docs/console-design.md). */
import { Download, Plus, Trash2 } from 'lucide'
import { useState } from 'preact/hooks'
import { Problem, unreachable } from '../../api/problem.ts'
import type { Load } from '../../api/use-call.ts'
import { Button, type ButtonKind, LinkButton } from '../../parts/button.tsx'
import { Figure } from '../../parts/chart/figure.tsx'
import type { ChartSeries } from '../../parts/chart/series.ts'
import { TimeChart } from '../../parts/chart/time-chart.tsx'
import { ConfirmDialog, Fields, useForm } from '../../parts/form.tsx'
import { Filters, Search } from '../../parts/list/filters.tsx'
import type { RowAction } from '../../parts/list/row-actions.tsx'
import { Card, Facts, Page, Tabs } from '../../parts/page.tsx'
import { ListCard, PagedTable } from '../../parts/paged-table.tsx'
import { Badge, Command, Copyable, Json, type Tone } from '../../parts/small.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'

const HERE = '/console/design'
const DAYS = [3, 7, 0, 12, 9].map((value, i) => ({ date: `2026-11-1${i}`, value, bad: i === 3 ? 4 : 0 }))
const TABS = ['Chosen', 'Other'].map((title, i) => ({ title, href: i === 0 ? HERE : '/console/users' }))

export default function DesignPage() {
  return (
    <Page
      title="Design"
      about="Every part of the console in every state."
      actions={
        <Button kind="primary" icon={Plus}>
          Main action
        </Button>
      }
    >
      <Tabs label="Parts of a topic" tabs={TABS} current={HERE} />
      <Card title="Text">
        <p>
          Text is regular or <strong>strong</strong>. <span class="soft">Less important text</span> is soft.
        </p>
        <h3>A heading inside a section</h3>
        <Facts
          rows={[
            ['user_id', <Copyable key="id" text="0d3f7c52-92a1" label="Copy the user_id" />],
            ['Created', <Time key="created" at="2026-11-20T12:00:00Z" />],
            ['Samples', count(1_204_311)],
          ]}
        />
        <Json label="Code" value={{ code: true }} />
        <Command words={['svc', 'user', 'list']} flags={{ '--limit': 25 }} />
      </Card>
      <Card title="Buttons">
        <Buttons isSmall={false} />
        <Buttons isSmall />
      </Card>
      <FieldStates />
      <Lists />
      <Card title="Figures">
        <div class="figures">
          <Figure title="Users" href="/console/users" n={1_204} label="New users" days={DAYS} />
          <Figure title="Nothing yet" n="–" label="Attempts" days={DAYS.map(day => ({ ...day, value: 0, bad: 0 }))} />
        </div>
      </Card>
      <Card title="Messages">
        <div class="note">A note that informs.</div>
        <div class="note note-warn">A note that warns.</div>
        <ProblemNote problem={unreachable()} onRetry={() => {}} />
        <Empty title="No users yet" action={<Button>Create user</Button>}>
          An empty list says how to get the first item.
        </Empty>
      </Card>
      <Moments />
      <Charts />
    </Page>
  )
}

const KINDS: readonly ButtonKind[] = ['primary', 'plain', 'danger', 'quiet']

function Buttons({ isSmall }: { readonly isSmall: boolean }) {
  return (
    <div class="row">
      {KINDS.map(kind => (
        <Button key={kind} kind={kind} isSmall={isSmall}>
          {kind}
        </Button>
      ))}
      <Button isSmall={isSmall} icon={Download}>
        with an icon
      </Button>
      <Button isSmall={isSmall} kind="quiet" icon={Trash2} label="only an icon" />
      <Button isSmall={isSmall} disabled>
        disabled
      </Button>
      <LinkButton isSmall={isSmall} href="/console/users">
        link
      </LinkButton>
    </div>
  )
}

const REFUSED = new Problem(422, '', '', [{ field: 'url', message: 'The URL must start with https.' }])

function FieldStates() {
  const form = useForm({ zone: 'Berlin', name: 'ada', url: 'http://', note: '', is_live: true }, async () => {})
  return (
    <Card title="Fields">
      <Fields
        of={{ ...form, problem: REFUSED }}
        fields={[
          {
            legend: 'A group of fields',
            fields: [
              { name: 'zone', label: 'Menu', options: ['Berlin', 'Tokyo'] },
              { name: 'name', label: 'Name', hint: 'A hint says what is allowed.' },
              { name: 'url', label: 'URL', type: 'url' },
              { name: 'note', label: 'Note', lines: 2, isCode: true, placeholder: '{"data": 1}' },
              { name: 'is_live', label: 'Live', type: 'check', hint: 'A checkbox has its label beside it.' },
            ],
          },
        ]}
      />
    </Card>
  )
}

/** Parts that are shown only for a while. */
function Moments() {
  const toast = useToast()
  const [shown, setShown] = useState<'dialog' | 'skeleton' | null>(null)
  const close = (): void => setShown(null)
  return (
    <Card title="On demand">
      <div class="row">
        <Button onClick={() => setShown('dialog')}>Open a dialog</Button>
        <Button onClick={() => toast({ text: 'The user was deleted.', undo: () => {} })}>Show a toast</Button>
        <Button onClick={() => setShown('skeleton')}>Load</Button>
      </div>
      {shown === 'skeleton' && <Skeleton />}
      {shown === 'dialog' && (
        <ConfirmDialog title="Delete the endpoint?" submit="Delete" onClose={close} act={async () => close()}>
          <p>The record of its deliveries is also deleted. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

const HOUR = 3_600
const START = Date.UTC(2026, 10, 20) / 1_000
const WHOLE = { from: START, to: START + 24 * HOUR }

/** Returns hourly values, with a gap of two hours. */
function hourly(label: string, mark: ChartSeries['mark'], color: number, value: (hour: number) => number): ChartSeries {
  const hours = Float64Array.from({ length: 24 }, (_, hour) => hour).filter(hour => hour !== 9 && hour !== 10)
  const at = hours.map(hour => START + hour * HOUR)
  const low = hours.map(value)
  const until = mark === 'bars' ? at.map(time => time + HOUR) : at
  return { key: label, label, unit: '', mark, color, at, until, low, high: low, gap: 1.5 * HOUR }
}

const LEVELS = [1, 2, 3, 4, 5, 6].map(color =>
  hourly(`Series ${color}`, 'line', color, hour => 40 + 15 * color + 12 * Math.sin(hour / 3)),
)
const CHARTS = { Levels: LEVELS, Amounts: [hourly('Steps', 'bars', 1, hour => 400 + 50 * hour)] }

function Charts() {
  const [view, setView] = useState(WHOLE)
  return (
    <Card title="Charts">
      {Object.entries(CHARTS).map(([label, series]) => (
        <TimeChart
          key={label}
          label={label}
          texts={series.map(each => each.label)}
          series={series}
          view={view}
          onView={setView}
          onReset={() => setView(WHOLE)}
          height={180}
        />
      ))}
    </Card>
  )
}

interface Row {
  readonly name: string
  readonly tone: Tone
  readonly samples: number
}

const STATES = { good: 'connected', warn: 'paused', bad: 'failed', accent: 'waiting', neutral: 'disabled' } as const
const TONES = Object.keys(STATES) as readonly Tone[] // the keys are tones
const ROWS = [...TONES, ...TONES].map((tone, i): Row => ({ name: `person-${i + 1}`, tone, samples: 7 ** (i + 2) }))
const COLUMNS: readonly Column<Row>[] = [
  { title: 'User', sort: ({ name }) => name, cell: ({ name }) => <a href="/console/users">{name}</a> },
  { title: 'State', cell: ({ tone }) => <Badge tone={tone}>{STATES[tone]}</Badge> },
  { title: 'Samples', isNumber: true, sort: ({ samples }) => samples, cell: ({ samples }) => count(samples) },
]
const NUMBERS: readonly Column<Row>[] = Array.from({ length: 12 }, (_, i) => ({
  title: `Samples of hour ${i}`,
  isNumber: true,
  cell: ({ samples }) => count(samples * (i + 1)),
}))

function Lists() {
  const [rows, setRows] = useState(ROWS.slice(0, 5))
  const load: Load<readonly Row[]> = {
    data: rows,
    problem: null,
    isLoading: false,
    reload: () => {},
    replace: () => {},
  }
  const remove: RowAction<Row> = {
    title: 'Delete',
    done: 'deleted',
    act: async ({ name }) => {
      if (name === 'person-3') throw new Problem(409, '', 'The user is being changed.')
      setRows(before => before.filter(each => each.name !== name))
    },
    confirm: 'The third person cannot be deleted.',
    isDanger: true,
    isForMany: true,
  }
  return (
    <>
      <ListCard
        title="List"
        actions={<Button isSmall>Action</Button>}
        noun="people"
        load={load}
        readRows={data => data}
        columns={COLUMNS}
        rowKey={row => row.name}
        rowActions={[{ title: 'Open', open: () => {} }, remove]}
        empty={<Empty title="No people" />}
      >
        <Filters
          filters={[
            { name: 'tone', label: 'State', options: TONES.map(value => ({ value, label: STATES[value] })) },
            { name: 'since', label: 'Since', type: 'date' },
          ]}
        >
          <Search placeholder="client_user_id" value="" onSearch={() => {}} />
        </Filters>
      </ListCard>
      <Card title="Table" isFlush>
        <PagedTable
          label="Numbers"
          noun="users"
          columns={[...COLUMNS.slice(0, 1), ...NUMBERS]}
          rows={ROWS}
          rowKey={row => row.name}
          perPage={5}
        />
      </Card>
    </>
  )
}
