/** The catalogue of lab tests, markers and laboratories. */
import { readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useServiceOrder } from '../../parts/list/sorting.ts'
import { Facts, Page, TopicTabs } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import { useCursorPages } from '../../shell/list-pages.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { LabFilters } from './lab-filters.tsx'
import { catalogueWith, priceText } from './lab-words.ts'
import { MarkerList } from './marker-list.tsx'

export default function LabsPage() {
  const { show } = useUrlState().query
  const current = show === 'markers' || show === 'labs' ? show : 'tests'
  return (
    <Page
      title="Labs"
      about="Markers that laboratories measure, and lab tests that you can order."
      actions={
        <LinkButton kind="primary" href="/console/labs/orders?new=1">
          Place an order
        </LinkButton>
      }
    >
      <TopicTabs
        topic="/console/labs"
        current={current === 'tests' ? '/console/labs' : `/console/labs?show=${current}`}
      />
      {current === 'tests' && <TestList />}
      {current === 'markers' && <MarkerList />}
      {current === 'labs' && <LabList />}
    </Page>
  )
}

type Lab = ResponseOf<'labs.list'>[number]

const COLUMNS: readonly Column<Lab>[] = [
  {
    title: 'Laboratory',
    sort: lab => lab.name,
    cell: lab => (
      <div class="labs-name">
        <a href={`/console/labs?show=markers&lab=${lab.slug}`}>{lab.name}</a>
        <code class="soft">{lab.slug}</code>
      </div>
    ),
  },
  { title: 'Place', sort: lab => lab.city, cell: lab => `${lab.first_line_address}, ${lab.zipcode} ${lab.city}` },
  {
    title: 'Collection methods',
    cell: lab => (
      <span class="row">
        {lab.collection_methods.map(each => (
          <Badge key={each}>{readableName(each)}</Badge>
        ))}
      </span>
    ),
  },
  { title: 'Sample types', cell: lab => lab.sample_types.map(readableName).join(', ') },
]

function LabList() {
  const load = useLoad('labs.list', {})
  return (
    <>
      <ListCard
        label="Laboratories"
        noun="laboratories"
        load={load}
        lines={10}
        columns={COLUMNS}
        readRows={labs => labs}
        rowKey={lab => lab.slug}
        empty={<Empty title="No laboratories" />}
      />
      <Command words={['svc', 'labs', 'list']} />
    </>
  )
}

type LabTest = ResponseOf<'labs.test'>

const ON_A_PAGE = 25

/** The lab tests, which are sets of markers that are ordered together. */
function TestList() {
  const { query, change } = useUrlState()
  const { q: name = '', lab = '', test } = query
  const { cursor, readPages } = useCursorPages('lab tests')
  const columns = columnsWith(catalogueWith(query))
  const order = useServiceOrder<'price'>('lab tests', columns)
  const load = useLoad('labs.tests', {
    query: { name, lab_test_limit: ON_A_PAGE, lab_slug: lab || undefined, next_cursor: cursor, ...order },
  })
  return (
    <>
      <ListCard
        label="Lab tests"
        noun="lab tests"
        load={load}
        lines={10}
        columns={columns}
        readRows={({ data }) => data}
        rowKey={each => each.id}
        readPages={(page, shown) => (page.next_cursor || cursor ? readPages(page, shown) : null)}
        empty={<Empty title="No lab test found">Search for another name, or look for single markers.</Empty>}
      >
        <LabFilters placeholder="Name of a lab test" />
      </ListCard>
      <Command words={['svc', 'labs', 'tests']} flags={{ '--name': name, '--lab-slug': lab }} />
      {test && <TestDialog testId={test} onClose={() => change({ test: null })} />}
    </>
  )
}

function columnsWith(url: string): readonly Column<LabTest>[] {
  return [
    {
      title: 'Lab test',
      cell: test => (
        <div class="labs-name">
          <a href={`${url}&test=${test.id}`}>{test.name}</a>
          <code class="soft">{test.slug}</code>
        </div>
      ),
    },
    { title: 'Laboratory', cell: test => test.lab?.name ?? '–' },
    { title: 'Method', cell: test => <Badge>{readableName(test.method)}</Badge> },
    { title: 'Sample', cell: test => readableName(test.sample_type) },
    { title: 'Markers', cell: test => (test.markers === null ? '–' : count(test.markers.length)), isNumber: true },
    { title: 'Days', cell: test => formatDays(test), isNumber: true },
    { title: 'Price, USD', sort: 'price', cell: test => priceText(test.price), isNumber: true },
  ]
}

const formatDays = ({ common_tat_days: common, worst_case_tat_days: worst }: LabTest): string =>
  common === null ? '–' : worst === null || worst === common ? String(common) : `${common} to ${worst}`

function TestDialog({ testId, onClose }: { readonly testId: string; readonly onClose: () => void }) {
  const test = useLoad('labs.test', { params: { lab_test_id: testId }, query: {} })
  const markers = useLoad('labs.test_markers', { params: { lab_test_id: testId }, query: { size: 100 } })
  return (
    <Dialog
      title={test.data?.name ?? 'Lab test'}
      isWide
      onClose={onClose}
      actions={
        <LinkButton kind="primary" href={`/console/labs/orders?new=1&test=${testId}`}>
          Order this test
        </LinkButton>
      }
    >
      <Loaded load={test} lines={5}>
        {data => (
          <Facts
            rows={[
              ['Laboratory', data.lab?.name],
              ['Method', readableName(data.method)],
              ['Sample', readableName(data.sample_type)],
              ['Fasting', data.fasting ? 'Required' : 'Not required'],
              ['Status', readableName(data.status)],
              ['Days to a result', formatDays(data)],
              ['Price', `USD ${priceText(data.price)}`],
            ]}
          />
        )}
      </Loaded>
      <h3>Markers</h3>
      <Loaded load={markers} lines={4}>
        {page => (
          <Table
            label="Markers of the lab test"
            columns={[
              { title: 'Marker', cell: each => each.name },
              { title: 'Type', cell: each => readableName(each.type ?? '–') },
              { title: 'Results', cell: each => count(each.expected_results.length), isNumber: true },
              { title: 'LOINC', cell: each => each.expected_results.flatMap(one => one.loinc?.code ?? []).join(', ') },
            ]}
            rows={page.markers}
            rowKey={each => String(each.id)}
          />
        )}
      </Loaded>
      <Command words={['svc', 'labs', 'test', testId]} />
    </Dialog>
  )
}
