/** The team's lab orders. */
import { formatTitle } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { toOptions, useChoices } from '../../api/choices.ts'
import { useChosenUser } from '../../api/chosen-user.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Filters, Search } from '../../parts/list/filters.tsx'
import { useServiceOrder } from '../../parts/list/sorting.ts'
import { Page, TopicTabs } from '../../parts/page.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Name } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { useNumberedPages } from '../../shell/list-pages.ts'
import { FIRST_PAGE, usePrivateSearch, useUrlState } from '../../shell/url-state.ts'
import { flagTone, stateText, statusTone } from './lab-words.ts'
import { NewOrder } from './new-order.tsx'

type Order = ResponseOf<'order.get'>

const ON_A_PAGE = 25

const COLUMNS: readonly Column<Order>[] = [
  {
    title: 'Order',
    cell: order => (
      <div class="labs-name">
        <a href={`/console/labs/orders/${order.id}`}>
          <Name>{order.lab_test.name}</Name>
        </a>
        <code class="soft nowrap">{order.id}</code>
      </div>
    ),
  },
  {
    title: 'Patient',
    cell: ({ patient_details: patient, user_id: userId }) => (
      <a href={`/console/users/${userId}`}>
        <Name>{patient === null ? 'Unknown' : `${patient.first_name} ${patient.last_name}`}</Name>
      </a>
    ),
  },
  {
    title: 'State',
    cell: ({ last_event: last }) => <Badge tone={statusTone(last.status)}>{stateText(last.status)}</Badge>,
  },
  {
    title: 'Result',
    cell: ({ interpretation }) =>
      interpretation === null ? '–' : <Badge tone={flagTone(interpretation)}>{formatTitle(interpretation)}</Badge>,
  },
  { title: 'Created', sort: 'created_at', cell: order => <Ago at={order.created_at} /> },
]

export default function OrdersPage() {
  const { query, change } = useUrlState()
  const [search, setSearch] = usePrivateSearch()
  const { status = '', interpretation = '' } = query
  const user = useChosenUser()
  const { number, readPages: pagesOf } = useNumberedPages('orders')
  const choices = useChoices('order.list')
  const order = useServiceOrder<'created_at'>('orders', COLUMNS)
  const filters = {
    ...(search ? { search_input: search } : {}),
    ...(status ? { status: [status] } : {}),
    ...(interpretation ? { interpretation: interpretation as 'normal' } : {}), // the options are values from the server
    ...(user ? { user_id: user } : {}),
  }
  const isFiltered = Object.keys(filters).length > 0
  const load = useLoad('order.list', { query: { page: number, size: ON_A_PAGE, ...order, ...filters } })
  const showAll = (): void => {
    setSearch('')
    change({ user: null, status: null, interpretation: null, ...FIRST_PAGE }, true)
  }
  const orderButton = (
    <Button kind="primary" needs="order.create" onClick={() => change({ new: 1 }, true)}>
      Place an order
    </Button>
  )
  return (
    <Page
      title="Labs"
      about="Markers that laboratories measure, and lab tests that you can order."
      actions={orderButton}
    >
      <TopicTabs topic="/console/labs" current="/console/labs/orders" />
      <ListCard
        label="Orders"
        noun="orders"
        load={load}
        lines={10}
        columns={COLUMNS}
        readRows={({ orders }) => orders}
        rowKey={order => order.id}
        readPages={pagesOf}
        empty={
          isFiltered ? (
            <Empty title="No order found" action={<Button onClick={showAll}>Show all orders</Button>}>
              No order matches these filters.
            </Empty>
          ) : (
            <Empty title="No orders yet" action={orderButton}>
              Place an order, then simulate its progress through the laboratory.
            </Empty>
          )
        }
      >
        <Filters
          filters={[
            { name: 'user', label: 'User', type: 'user' },
            { name: 'status', label: 'State', options: toOptions(choices('status'), 'All states') },
            { name: 'interpretation', label: 'Result', options: toOptions(choices('interpretation'), 'All results') },
          ]}
        >
          <Search
            placeholder="Name of the patient, or start of an id"
            value={search}
            onSearch={text => {
              setSearch(text)
              change(FIRST_PAGE)
            }}
          />
        </Filters>
      </ListCard>
      <Command
        words={['svc', 'order', 'list', '--size', `${ON_A_PAGE}`]}
        flags={{
          '--search': search,
          '--status': status,
          '--interpretation': interpretation,
          '--user': user,
          '--page': number > 1 && number,
        }}
      />
      {query['new'] !== undefined && (
        <NewOrder onClose={() => change({ new: null, test: null, marker: null, name: null })} />
      )}
    </Page>
  )
}
