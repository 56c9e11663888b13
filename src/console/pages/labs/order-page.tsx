/** One order, with its states and their times, possible simulations, results and documents. */
import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { formatTitle } from '../../../catalogue/wording.ts'
import { call, callRaw, type ResponseOf } from '../../api/call.ts'
import { mayUse } from '../../api/session.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { saveFile } from '../../parts/files.ts'
import { ConfirmDialog } from '../../parts/form.tsx'
import { Card, Facts, Page } from '../../parts/page.tsx'
import { addressText } from '../../parts/person-fields.ts'
import { Badge, Command, Copyable, Name } from '../../parts/small.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { firstStatusPart, stateText, statusTone } from './lab-words.ts'
import { Results } from './results.tsx'
import { Simulate } from './simulate.tsx'

type Order = ResponseOf<'order.get'>

const POLL_MS = 2_000

export default function OrderPage() {
  const orderId = useRoute().params['orderId'] ?? ''
  const { query, change } = useUrlState()
  const load = useLoad('order.get', { params: { order_id: orderId } })
  const [awaited, setAwaited] = useState<string | null>(null)
  const order = load.data
  const status = order?.last_event.status
  const states = useLoad('order.next_states', status === undefined ? null : { params: { order_id: orderId } })
  const next = states.data?.next
  const isAwaiting = awaited !== null && status !== awaited
  // the possible next states depend on the current state
  useEffect(() => states.reload(), [status, states.reload])
  useEffect(() => {
    if (!isAwaiting) return
    const timer = setInterval(load.reload, POLL_MS)
    return () => clearInterval(timer)
  }, [isAwaiting, load.reload])
  return (
    <Page
      title={order?.lab_test.name ?? 'Order'}
      actions={
        order && (
          <>
            <PdfButton id="order.requisition_pdf" orderId={orderId}>
              Requisition
            </PdfButton>
            <PdfButton
              id="order.result_pdf"
              orderId={orderId}
              missing={order.interpretation === null ? 'The laboratory has not reported.' : null}
            >
              Result
            </PdfButton>
            <Button
              kind="danger"
              needs="order.cancel"
              isBusy={next === undefined}
              why={next && uncancellable(next)}
              onClick={() => change({ open: 'cancel' }, true)}
            >
              Cancel the order
            </Button>
          </>
        )
      }
    >
      <Loaded load={load} lines={12} named={{ noun: 'order', list: '/console/labs/orders' }}>
        {data => (
          <>
            <div class="columns">
              <Card
                title="Order"
                actions={<Badge tone={statusTone(data.last_event.status)}>{stateText(data.last_event.status)}</Badge>}
              >
                <OrderFacts order={data} />
              </Card>
              <div class="stack">
                <Card title="States">
                  <StateLine events={data.events} />
                </Card>
                {mayUse('order.simulate') && (
                  <Simulate
                    orderId={orderId}
                    load={states}
                    onSimulated={final => {
                      setAwaited(final)
                      load.reload()
                    }}
                  />
                )}
              </div>
            </div>
            <Results orderId={orderId} hasReport={data.interpretation !== null} version={data.last_event.id} />
            <Card title="On a terminal">
              <Command words={['svc', 'order', 'get', orderId]} />
              <Command words={['svc', 'order', 'result', orderId]} />
              <Command words={['svc', 'order', 'pdf', orderId, '--out', 'result.pdf']} />
            </Card>
          </>
        )}
      </Loaded>
      {order && query['open'] === 'cancel' && (
        <ConfirmDialog
          title="Cancel this order"
          submit="Cancel the order"
          cancel="Keep the order"
          onClose={() => change({ open: null })}
          act={async () => {
            await call('order.cancel', { params: { order_id: orderId } })
            change({ open: null })
            load.reload()
          }}
          foot={<Command words={['svc', 'order', 'cancel', orderId]} />}
        >
          <p>The laboratory stops working on it. This cannot be undone; you would have to place another order.</p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

function OrderFacts({ order }: { readonly order: Order }) {
  const { patient_details: patient, patient_address: address, lab_test: test } = order
  return (
    <Facts
      rows={[
        ['order_id', <Copyable key="id" text={order.id} label="Copy the order_id" />],
        [
          'Patient',
          <a key="patient" href={`/console/users/${order.user_id}`}>
            <Name lines={3}>{patient === null ? 'Unknown' : `${patient.first_name} ${patient.last_name}`}</Name>
          </a>,
        ],
        ['Date of birth', patient?.dob],
        ['Gender', patient && formatTitle(patient.gender)],
        ['Medical proxy', formatProxy(patient?.medical_proxy)],
        ['Address', address && <Name lines={3}>{addressText({ ...address, country: null })}</Name>],
        ['Laboratory', test.lab?.name],
        ['Collection', formatTitle(order.details.type)],
        ['Sample', formatTitle(test.sample_type)],
        ['Sample ID', order.sample_id],
        ['Billing', formatTitle(order.billing_type)],
        ['Priority', order.priority ? 'High' : 'Standard'],
        ['Physician', order.physician && `${order.physician.first_name} ${order.physician.last_name}`],
        ['Becomes active', order.activate_by && `${order.activate_by}, set by you`],
        ['Result expected', order.expected_result_by_date],
        ['Result at the latest', order.worst_case_result_by_date],
        ['Notes', order.notes && <Name lines={3}>{order.notes}</Name>],
        ['Created', <Time key="created" at={order.created_at} />],
      ]}
    />
  )
}

/** Returns why an order with these next states cannot be cancelled; null if it can. */
function uncancellable(next: readonly string[]): string | null {
  if (next.some(each => firstStatusPart(each) === 'cancelled')) return null
  return next.length === 0 ? 'The order has ended.' : 'Not possible in the current state.'
}

/** The person responsible for a patient under 18. The contract does not define its fields. */
function formatProxy(proxy: unknown) {
  const { first_name, last_name } = (proxy ?? {}) as { readonly first_name?: unknown; readonly last_name?: unknown }
  if (typeof first_name !== 'string' || typeof last_name !== 'string') return null
  return <Name>{`${first_name} ${last_name}`}</Name>
}

interface PdfButtonProps {
  readonly id: 'order.result_pdf' | 'order.requisition_pdf'
  readonly orderId: string
  /** Why the order does not have this document; null if it does. */
  readonly missing?: string | null
  /** Document name, such as "Result". */
  readonly children: string
}

/** Saves a document of an order. Unlike a plain link, it can explain why the document cannot be loaded. */
function PdfButton({ id, orderId, missing = null, children }: PdfButtonProps) {
  const toast = useToast()
  const load = useAction(async () => {
    const file = await callRaw(id, { params: { order_id: orderId } }, { accept: 'application/pdf' }).then(
      response => response.blob(),
      (error: unknown) => toast({ text: error instanceof Error ? error.message : String(error) }),
    )
    if (file) saveFile(`${children.toLowerCase()}-${orderId}.pdf`, file)
  })
  return (
    <Button needs={id} isBusy={load.isRunning} why={missing} onClick={load.run}>
      {children} PDF
    </Button>
  )
}

type OrderEvent = ResponseOf<'order.get'>['events'][number]

/** An order's states so far, oldest first, with their times. */
function StateLine({ events }: { readonly events: readonly OrderEvent[] }) {
  return (
    <ol class="labs-line">
      {events.map((event, index) => (
        <li
          key={event.id}
          class={`labs-state labs-state-${statusTone(event.status)}`}
          aria-current={index === events.length - 1 ? 'step' : undefined}
        >
          <strong>{stateText(event.status)}</strong>
          <span class="soft">
            {formatTitle(firstStatusPart(event.status))}, <Time at={event.created_at} withSeconds />
          </span>
          {event.status_detail && <span class="soft">{formatTitle(event.status_detail)}</span>}
        </li>
      ))}
    </ol>
  )
}
