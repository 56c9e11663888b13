/** The engine's clock, which all stored times come from. Tests move it; in real use, it shows real time. */
import { useEngineClock } from '../../api/engine-clock.tsx'
import { mayUse } from '../../api/session.ts'
import { useAction } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { FormView, toUtc, useForm } from '../../parts/form.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Loaded, ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'

export function Clock() {
  const mayMove = mayUse('clock.set')
  const { load, change } = useEngineClock()
  const move = useAction(change)
  const advance = useForm({ advance: '1d' }, change)
  const set = useForm({ set: '' }, values => change({ set: toUtc(values.set) }))
  return (
    <>
      <Card title="Clock">
        <Loaded load={load} lines={3}>
          {clock => (
            <Facts
              rows={[
                ['Time', <Time key="now" at={clock.now} withSeconds />],
                ['State', clock.frozen ? <Badge tone="warn">Frozen</Badge> : <Badge tone="good">Running</Badge>],
                [
                  'Ahead of real time',
                  clock.offset_seconds === 0 ? 'not at all' : `${count(Math.round(clock.offset_seconds))} s`,
                ],
              ]}
            />
          )}
        </Loaded>
        <ProblemNote problem={move.problem} />
        {mayMove ? (
          <div class="row">
            <Button isBusy={move.isRunning} onClick={() => move.run({ freeze: load.data?.frozen !== true })}>
              {load.data?.frozen ? 'Let it run' : 'Freeze'}
            </Button>
            <Button isBusy={move.isRunning} onClick={() => move.run({ follow: 'real_time' })}>
              Return to real time
            </Button>
          </div>
        ) : (
          <p class="soft">Only an operator's key can move the clock.</p>
        )}
      </Card>
      {mayMove && (
        <div class="columns">
          <Card title="Advance">
            <FormView
              form={advance}
              submit="Advance"
              fields={[
                { name: 'advance', label: 'By', hint: 'A number with s, m (minutes), h, d or w, such as 90m or 7d' },
              ]}
              foot={<Command words={['svc', 'engine', 'clock', 'advance', advance.values.advance]} />}
            />
          </Card>
          <Card title="Set">
            <FormView
              form={set}
              submit="Set"
              isReady={set.values.set !== ''}
              fields={[{ name: 'set', label: 'To', type: 'datetime-local', isRequired: true, hint: 'UTC' }]}
              foot={<Command words={['svc', 'engine', 'clock', 'set', toUtc(set.values.set) || 'WHEN']} />}
            />
          </Card>
        </div>
      )}
    </>
  )
}
