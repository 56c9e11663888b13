/** Moves an order forward as its laboratory would: one step, or all the way to a state. */

import { useState } from 'preact/hooks'
import { titleOf } from '../../../catalogue/wording.ts'
import { type Answer, call } from '../../api/call.ts'
import { useChoices } from '../../api/choices.ts'
import { type Load, useAction } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { CheckField, problemWith, SelectField, TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Command } from '../../parts/small.tsx'
import { Loaded, ProblemNote } from '../../parts/states.tsx'
import { stateText } from './lab-words.ts'

interface SimulateProps {
  readonly orderId: string
  /** The states that the order can reach. */
  readonly load: Load<Answer<'order.next_states'>>
  /** The order moves to this state, at once or step by step. */
  readonly onSimulated: (final: string) => void
}

/** End of the state in which a laboratory reports results, where simulations usually end. */
const USUAL_END = '.completed'

export function Simulate({ orderId, load, onSimulated }: SimulateProps) {
  const interpretations = useChoices('order.simulate', 'interpretation')
  const [chosen, setChosen] = useState('')
  const [delay, setDelay] = useState('0')
  const [interpretation, setInterpretation] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const reachable = load.data?.reachable ?? []
  const usual = reachable.find(each => each.endsWith(USUAL_END)) ?? reachable[0] ?? ''
  const final = reachable.includes(chosen) ? chosen : usual
  const simulate = useAction(async (to: string, seconds: number) => {
    const answer = await call('order.simulate', {
      params: { order_id: orderId },
      query: { final_status: to, delay: seconds },
      body: {
        ...(interpretation === '' ? {} : { interpretation: interpretation as 'normal' }), // the server offers these values
        ...(isMissing ? { has_missing_results: true } : {}),
      },
    })
    onSimulated(answer.final_status)
  })
  return (
    <Card title="Simulate">
      <Loaded load={load} lines={4}>
        {({ next }) =>
          next.length === 0 ? (
            <p class="soft">The order has ended: no other state follows.</p>
          ) : (
            <>
              <fieldset class="labs-next">
                <legend>Next state</legend>
                {next.map(each => (
                  <Button key={each} isSmall isBusy={simulate.isRunning} onClick={() => simulate.run(each, 0)}>
                    {stateText(each)}
                  </Button>
                ))}
              </fieldset>
              <form
                class="stack"
                onSubmit={event => {
                  event.preventDefault()
                  simulate.run(final, Number(delay))
                }}
              >
                <div class="field-grid">
                  <SelectField
                    label="Continue until"
                    value={final}
                    onChange={setChosen}
                    options={reachable.map(value => ({ value, label: stateText(value) }))}
                  />
                  <TextField
                    label="Seconds between two states"
                    type="number"
                    min={0}
                    value={delay}
                    onInput={setDelay}
                    problem={problemWith(simulate.problem, 'delay')}
                  />
                  <SelectField
                    label="Result"
                    value={interpretation}
                    onChange={setInterpretation}
                    options={[
                      { value: '', label: titleOf('normal') },
                      ...interpretations
                        .filter(value => value !== 'normal')
                        .map(value => ({ value, label: titleOf(value) })),
                    ]}
                  />
                </div>
                <CheckField label="Leave one result missing" isChecked={isMissing} onChange={setIsMissing} />
                <div>
                  <Button kind="primary" type="submit" isBusy={simulate.isRunning}>
                    Simulate
                  </Button>
                </div>
              </form>
              {simulate.problem?.fields.every(each => each.field !== 'delay') && (
                <ProblemNote problem={simulate.problem} />
              )}
              <Command
                words={[
                  ...['svc', 'order', 'simulate', orderId, '--final-status', final],
                  ...(delay === '' || delay === '0' ? [] : ['--delay', delay]),
                  ...(interpretation === '' ? [] : ['--interpretation', interpretation]),
                  ...(isMissing ? ['--missing'] : []),
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}
