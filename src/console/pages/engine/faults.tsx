/** Failures and delays that the server causes on purpose, for testing an application. */
import { call, type Input, type ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { type DialogProps, FormDialog, useDialog, useForm } from '../../parts/form.tsx'
import type { Change } from '../../parts/list/row-actions.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Command } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'

type Fault = ResponseOf<'fault.list'>['faults'][number]
type NewFault = NonNullable<Input<'fault.add'>['body']>

export function Faults() {
  const load = useLoad('fault.list', {})
  const { open, dialog } = useDialog(load.reload)
  const add = (
    <Button isSmall kind="primary" needs="fault.add" onClick={() => open(props => <NewFaultDialog {...props} />)}>
      Add a fault
    </Button>
  )
  return (
    <>
      <ListCard
        title="Faults"
        actions={add}
        load={load}
        readRows={({ faults }) => faults}
        rowKey={fault => `${fault.fault_id}`}
        empty={
          <Empty title="No faults" action={add}>
            The server responds normally to every request. Add a fault to see how your application deals with slow
            responses, errors and broken connections.
          </Empty>
        }
        columns={COLUMNS}
        noun="faults"
        nameOf={fault => `Fault ${fault.fault_id}`}
        rowActions={[REMOVE]}
      />
      <Command words={['svc', 'engine', 'fault', 'list']} />
      {dialog}
    </>
  )
}

const REMOVE: Change<Fault> = {
  title: 'Remove',
  needs: 'fault.clear',
  done: 'removed',
  act: ({ fault_id }) => call('fault.clear', { query: { fault_id } }),
  undo: fault => call('fault.add', { body: buildFault(fault) }),
  confirm: 'The server then responds normally to their requests.',
  isForMany: true,
}

const COLUMNS: readonly Column<Fault>[] = [
  { title: 'Effect', sort: fault => fault.effect, cell: fault => effectText(fault) },
  { title: 'Requests', sort: fault => fault.path, cell: fault => `${fault.method ?? 'Any method'} ${fault.path}` },
  { title: 'Probability', cell: fault => `${Math.round(fault.probability * 100)} %`, isNumber: true },
  { title: 'Times', cell: fault => fault.times ?? 'no limit', isNumber: true },
  { title: 'Added', sort: fault => fault.created_at, cell: fault => <Ago at={fault.created_at} /> },
]

function effectText({ effect, status, latency_ms }: Fault): string {
  if (effect === 'status') return `Responds with ${status}`
  if (effect === 'latency') return `Waits ${latency_ms} ms`
  return effect === 'drop' ? 'Closes the connection' : 'Cuts off the response'
}

type Wanted = Pick<Fault, 'effect' | 'status' | 'latency_ms' | 'path' | 'probability' | 'times'> &
  Partial<Pick<Fault, 'method' | 'seed'>>

/** Returns the request that adds a fault. */
function buildFault({ effect, status, latency_ms, method, path, probability, times, seed }: Wanted): NewFault {
  const where = { method: method as NewFault['method'], path, probability, times, seed } // the method was chosen from the list of methods
  if (effect === 'status') return { effect, status: status ?? 500, ...where }
  return effect === 'latency' ? { effect, latency_ms: latency_ms ?? 1, ...where } : { effect, ...where }
}

const EFFECTS = [
  { value: 'status', label: 'Respond with an error' },
  { value: 'latency', label: 'Delay the response' },
  { value: 'drop', label: 'Close the connection without a response' },
  { value: 'cut', label: 'Cut off the response' },
]

const NEW = { effect: 'status', status: '503', latency_ms: '2000', path: '/v2/*', percent: '100', times: '' }

function NewFaultDialog({ onClose, onDone }: DialogProps) {
  const form = useForm(NEW, async ({ effect, status, latency_ms, path, percent, times }) => {
    const fault = {
      effect: effect as Fault['effect'], // the options are the values of this type
      status: Number(status),
      latency_ms: Number(latency_ms),
      path,
      probability: Number(percent) / 100,
      times: times === '' ? null : Number(times),
    }
    await call('fault.add', { body: buildFault(fault) })
    onDone()
  })
  const { effect } = form.values
  return (
    <FormDialog
      title="Add a fault"
      submit="Add"
      onClose={onClose}
      form={form}
      fields={[
        { name: 'effect', label: 'Effect', options: EFFECTS },
        effect === 'status' && { name: 'status', label: 'Status', type: 'number' },
        effect === 'latency' && { name: 'latency_ms', label: 'Delay in milliseconds', type: 'number' },
        {
          name: 'path',
          label: 'Path',
          hint: '* stands for any characters. The console also uses paths under /svc/ and /v2/, so a wide pattern affects this page, too.',
        },
        { name: 'percent', path: 'probability', label: 'Percentage of requests', type: 'number', min: 1, max: 100 },
        { name: 'times', label: 'Number of requests', type: 'number', min: 1, hint: 'Leave it empty for no limit' },
      ]}
    />
  )
}
