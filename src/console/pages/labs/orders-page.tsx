/** Lab orders of the team. */

import { useLocation } from 'preact-iso/router'
import { words } from '../../../catalogue/wording.ts'
import { BASE } from '../../api/base.ts'
import type { Answer } from '../../api/call.ts'
import { useChoices } from '../../api/choices.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Name } from '../../parts/name.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Search } from '../../parts/search.tsx'
import { Badge, Command, Time } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, Pager, Table } from '../../parts/table.tsx'
import { useAddress, wholeOf } from '../../shell/address.ts'
import { LabTabs } from './lab-tabs.tsx'
import { flagTone, stateText, toneOf } from './lab-words.ts'
import { NewOrder } from './new-order.tsx'

type Order = Answer<'order.get'>

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
    cell: ({ last_event: last }) => <Badge tone={toneOf(last.status)}>{stateText(last.status)}</Badge>,
  },
  {
    title: 'Result',
    cell: ({ interpretation }) =>
      interpretation === null ? '–' : <Badge tone={flagTone(interpretation)}>{interpretation}</Badge>,
  },
  { title: 'Created', cell: order => <Time at={order.created_at} /> },
]

export default function OrdersPage() {
  const { route } = useLocation()
  const { query, change } = useAddress()
  const { q: search = '', status = '', interpretation = '', user } = query
  const number = wholeOf(query['page'], 1)
  const statuses = useChoices('order.list', 'status')
  const interpretations = useChoices('order.list', 'interpretation')
  const filters = {
    ...(search ? { search_input: search } : {}),
    ...(status ? { status: [status] } : {}),
    ...(interpretation ? { interpretation: interpretation as 'normal' } : {}), // the server offers these values
    ...(user ? { user_id: user } : {}),
  }
  const isFiltered = Object.keys(filters).length > 0
  const load = useLoad('order.list', { query: { page: number, size: ON_A_PAGE, ...filters } })
  const place = (
    <Button kind="primary" onClick={() => change({ new: 1 }, true)}>
      Place an order
    </Button>
  )
  const choices = (values: readonly string[], all: string) => [
    { value: '', label: all },
    ...values.map(value => ({ value, label: words(value) })),
  ]
  return (
    <Page title="Labs" about="What laboratories measure, and what you can order from them." actions={place}>
      <LabTabs current="orders" />
      <Card isFlush>
        <div class="list-filters">
          <Search
            placeholder="Name of the patient, or start of an id"
            value={search}
            onSearch={q => change({ q, page: null })}
          />
          <SelectField
            label="State"
            value={status}
            onChange={value => change({ status: value, page: null }, true)}
            options={choices(statuses, 'All states')}
          />
          <SelectField
            label="Result"
            value={interpretation}
            onChange={value => change({ interpretation: value, page: null }, true)}
            options={choices(interpretations, 'All results')}
          />
        </div>
        <Loaded load={load} lines={10}>
          {({ orders, total, page, size }) =>
            orders.length === 0 ? (
              <Empty
                title={isFiltered ? 'No order found' : 'No orders yet'}
                action={
                  isFiltered ? (
                    <Button onClick={() => route(`${BASE}/console/labs/orders`)}>Show all orders</Button>
                  ) : (
                    place
                  )
                }
              >
                {isFiltered
                  ? 'No order matches these filters.'
                  : 'Place an order, then simulate its way through the laboratory.'}
              </Empty>
            ) : (
              <>
                <Table label="Orders" columns={COLUMNS} rows={orders} keyOf={order => order.id} />
                <Pager
                  offset={(page - 1) * size}
                  limit={size}
                  total={total}
                  noun="orders"
                  onGo={offset => change({ page: offset === 0 ? null : offset / size + 1 }, true)}
                />
              </>
            )
          }
        </Loaded>
      </Card>
      <Command
        words={[
          ...['svc', 'order', 'list', '--size', String(ON_A_PAGE)],
          ...(search ? ['--search', search] : []),
          ...(status ? ['--status', status] : []),
          ...(interpretation ? ['--interpretation', interpretation] : []),
          ...(user ? ['--user', user] : []),
          ...(number > 1 ? ['--page', String(number)] : []),
        ]}
      />
      {query['new'] !== undefined && (
        <NewOrder onClose={() => change({ new: null, test: null, marker: null, name: null })} />
      )}
    </Page>
  )
}
