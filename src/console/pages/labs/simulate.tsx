/** Advances an order as its laboratory would, by one state or all the way to a chosen state. */
import { formatTitle } from '../../../catalogue/wording.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { useChoices } from '../../api/choices.ts'
import { type Load, useAction } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { FormView, useForm } from '../../parts/form.tsx'
import { Card } from '../../parts/page.tsx'
import { Command } from '../../parts/small.tsx'
import { Loaded, ProblemNote } from '../../parts/states.tsx'
import { stateText } from './lab-words.ts'

interface SimulateProps {
  readonly orderId: string
  /** The states that the order can reach. */
  readonly load: Load<ResponseOf<'order.next_states'>>
  /** Called when a simulation starts, with the final state that the order reaches, immediately or step by step. */
  readonly onSimulated: (final: string) => void
}

const USUAL = { final_status: '', delay: '0', interpretation: '', isMissing: false }

/** Suffix of the usual final state, in which the laboratory has reported results. */
const USUAL_END = '.completed'

export function Simulate({ orderId, load, onSimulated }: SimulateProps) {
  const interpretations = useChoices('order.simulate')('interpretation')
  const reachable = load.data?.reachable ?? []
  const finalOf = (chosen: string): string =>
    reachable.find(each => each === chosen) ?? reachable.find(each => each.endsWith(USUAL_END)) ?? reachable[0] ?? ''
  const simulate = async (final_status: string, delay: number, { interpretation, isMissing }: typeof USUAL) => {
    const response = await call('order.simulate', {
      params: { order_id: orderId },
      query: { final_status, delay },
      body: {
        interpretation: (interpretation || undefined) as 'normal' | undefined, // the options are values from the server
        has_missing_results: isMissing || undefined,
      },
    })
    onSimulated(response.final_status)
  }
  const form = useForm(USUAL, values => simulate(finalOf(values.final_status), Number(values.delay), values))
  const step = useAction((to: string) => simulate(to, 0, form.values))
  const { delay, interpretation, isMissing } = form.values
  const final = finalOf(form.values.final_status)
  return (
    <Card title="Simulate">
      <Loaded load={load} lines={4}>
        {({ next }) =>
          next.length === 0 ? (
            <p class="soft">The order has ended: no other state follows.</p>
          ) : (
            <>
              <fieldset class="row labs-next">
                <legend>Next state</legend>
                {next.map(each => (
                  <Button key={each} isSmall isBusy={step.isRunning || form.isRunning} onClick={() => step.run(each)}>
                    {stateText(each)}
                  </Button>
                ))}
              </fieldset>
              <ProblemNote problem={step.problem} />
              <FormView
                form={{ ...form, values: { ...form.values, final_status: final } }}
                submit="Simulate"
                kind="primary"
                fields={[
                  {
                    class: 'field-grid',
                    fields: [
                      {
                        name: 'final_status',
                        label: 'Continue until',
                        options: reachable.map(value => ({ value, label: stateText(value) })),
                      },
                      { name: 'delay', label: 'Seconds between two states', type: 'number', min: 0 },
                      {
                        name: 'interpretation',
                        label: 'Result',
                        options: ['normal', ...interpretations.filter(value => value !== 'normal')].map(value => ({
                          value: value === 'normal' ? '' : value,
                          label: formatTitle(value),
                        })),
                      },
                    ],
                  },
                  { name: 'isMissing', label: 'Leave one result missing', type: 'check' },
                ]}
                foot={
                  <Command
                    words={['svc', 'order', 'simulate', orderId, '--final-status', final]}
                    flags={{ '--delay': Number(delay), '--interpretation': interpretation, '--missing': isMissing }}
                  />
                }
              />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}
