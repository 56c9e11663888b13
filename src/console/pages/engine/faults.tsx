/** Failures and delays that the server causes on purpose, to test an application with. */
import { useState } from 'preact/hooks'
import { type Answer, call, type Input } from '../../api/call.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { problemWith, SelectField, TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Card } from '../../parts/page.tsx'
import { Command, Time } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'

type Fault = Answer<'fault.list'>['faults'][number]
type NewFault = NonNullable<Input<'fault.add'>['body']>

export function Faults() {
  const load = useLoad('fault.list', {})
  const toast = useToast()
  const [isAdding, setIsAdding] = useState(false)
  const clear = useAction(async (fault: Fault) => {
    await call('fault.clear', { query: { fault_id: fault.fault_id } })
    load.reload()
    toast({
      text: 'The fault was removed.',
      undo: () => {
        call('fault.add', { body: again(fault) }).then(load.reload, load.reload)
      },
    })
  })
  const add = (
    <Button isSmall kind="primary" onClick={() => setIsAdding(true)}>
      Add a fault
    </Button>
  )
  return (
    <>
      <Card isFlush title="Faults" actions={add}>
        <ProblemNote problem={clear.problem} />
        <Loaded load={load}>
          {({ faults }) =>
            faults.length === 0 ? (
              <Empty title="No faults" action={add}>
                Every request is answered as usual. Add a fault to see how your application deals with slow answers,
                errors and broken connections.
              </Empty>
            ) : (
              <Table
                label="Faults"
                rows={faults}
                keyOf={fault => `${fault.fault_id}`}
                columns={[
                  ...COLUMNS,
                  {
                    title: 'Actions',
                    isTitleHidden: true,
                    cell: fault => (
                      <Button
                        isSmall
                        isBusy={clear.isRunning}
                        label={`Remove fault ${fault.fault_id}`}
                        onClick={() => clear.run(fault)}
                      >
                        Remove
                      </Button>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      <Command words={['svc', 'engine', 'fault', 'list']} />
      {isAdding && (
        <NewFaultDialog
          onClose={() => setIsAdding(false)}
          onAdded={() => {
            setIsAdding(false)
            load.reload()
          }}
        />
      )}
    </>
  )
}

const COLUMNS: readonly Column<Fault>[] = [
  { title: 'Effect', cell: fault => effectText(fault) },
  { title: 'Requests', cell: fault => `${fault.method ?? 'Any method'} ${fault.path}` },
  { title: 'Probability', cell: fault => `${Math.round(fault.probability * 100)} %`, isNumber: true },
  { title: 'Times', cell: fault => fault.times ?? 'no limit', isNumber: true },
  { title: 'Added', cell: fault => <Time at={fault.created_at} /> },
]

function effectText({ effect, status, latency_ms }: Fault): string {
  if (effect === 'status') return `Answers ${status}`
  if (effect === 'latency') return `Waits ${latency_ms} ms`
  return effect === 'drop' ? 'Closes the connection' : 'Cuts the answer off'
}

/** Returns the request that adds a fault again. */
function again({ effect, status, latency_ms, method, path, probability, times, seed }: Fault): NewFault {
  const where = { method: method as NewFault['method'], path, probability, times, seed } // it came from the list of methods
  if (effect === 'status') return { effect, status: status ?? 500, ...where }
  return effect === 'latency' ? { effect, latency_ms: latency_ms ?? 1, ...where } : { effect, ...where }
}

const EFFECTS = [
  { value: 'status', label: 'Answer with an error' },
  { value: 'latency', label: 'Delay the answer' },
  { value: 'drop', label: 'Close the connection without an answer' },
  { value: 'cut', label: 'Cut the answer off' },
]

function NewFaultDialog({ onClose, onAdded }: { readonly onClose: () => void; readonly onAdded: () => void }) {
  const [effect, setEffect] = useState<string>('status')
  const [status, setStatus] = useState('503')
  const [latency, setLatency] = useState('2000')
  const [path, setPath] = useState('/v2/*')
  const [percent, setPercent] = useState('100')
  const [times, setTimes] = useState('')
  const add = useAction(async () => {
    const where = { path, probability: Number(percent) / 100, ...(times === '' ? {} : { times: Number(times) }) }
    await call('fault.add', { body: bodyOf(effect, Number(status), Number(latency), where) })
    onAdded()
  })
  return (
    <FormDialog title="Add a fault" onClose={onClose} action={add} submit="Add">
      <SelectField label="Effect" value={effect} onChange={setEffect} options={EFFECTS} />
      {effect === 'status' && (
        <TextField
          label="Status"
          type="number"
          value={status}
          onInput={setStatus}
          problem={problemWith(add.problem, 'status')}
        />
      )}
      {effect === 'latency' && (
        <TextField
          label="Delay in milliseconds"
          type="number"
          value={latency}
          onInput={setLatency}
          problem={problemWith(add.problem, 'latency_ms')}
        />
      )}
      <TextField
        label="Path"
        value={path}
        onInput={setPath}
        hint="* stands for any characters. The console also uses paths under /svc/ and /v2/, so a wide pattern affects this page, too."
        problem={problemWith(add.problem, 'path')}
      />
      <TextField
        label="Percentage of requests"
        type="number"
        min={1}
        max={100}
        value={percent}
        onInput={setPercent}
        problem={problemWith(add.problem, 'probability')}
      />
      <TextField
        label="Number of requests"
        type="number"
        min={1}
        value={times}
        onInput={setTimes}
        hint="Leave it empty for no limit"
        problem={problemWith(add.problem, 'times')}
      />
      <ProblemNote problem={add.problem} />
    </FormDialog>
  )
}

interface Where {
  readonly path: string
  readonly probability: number
  readonly times?: number
}

function bodyOf(effect: string, status: number, latency_ms: number, where: Where): NewFault {
  if (effect === 'status') return { effect, status, ...where }
  if (effect === 'latency') return { effect, latency_ms, ...where }
  return { effect: effect === 'drop' ? 'drop' : 'cut', ...where }
}
