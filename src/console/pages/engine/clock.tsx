/** The engine's clock, which decides all stored times. Tests move it; in real use, it shows real time. */
import { useState } from 'preact/hooks'
import { call, type Input } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { problemWith, TextField } from '../../parts/field.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Badge, Command, Time } from '../../parts/small.tsx'
import { Loaded, ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'

type Change = NonNullable<Input<'clock.set'>['body']>

export function Clock() {
  const { key } = useSession()
  const load = useLoad('clock.get', {})
  const [duration, setDuration] = useState('1d')
  const [instant, setInstant] = useState('')
  const move = useAction(async (body: Change) => load.replace(await call('clock.set', { body })))
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
        {key.is_operator ? (
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
      {key.is_operator && (
        <div class="columns">
          <Card title="Advance">
            <form
              class="stack"
              onSubmit={event => {
                event.preventDefault()
                move.run({ advance: duration })
              }}
            >
              <TextField
                label="By"
                value={duration}
                onInput={setDuration}
                hint="A number with s, m (minutes), h, d or w, such as 90m or 7d"
                problem={problemWith(move.problem, 'advance')}
              />
              <div>
                <Button type="submit" isBusy={move.isRunning}>
                  Advance
                </Button>
              </div>
              <Command words={['svc', 'engine', 'clock', 'advance', duration]} />
            </form>
          </Card>
          <Card title="Set">
            <form
              class="stack"
              onSubmit={event => {
                event.preventDefault()
                move.run({ set: `${instant}:00Z` })
              }}
            >
              <TextField
                label="To"
                type="datetime-local"
                value={instant}
                onInput={setInstant}
                isRequired
                hint="UTC"
                problem={problemWith(move.problem, 'set')}
              />
              <div>
                <Button type="submit" isBusy={move.isRunning} disabled={instant === ''}>
                  Set
                </Button>
              </div>
              <Command words={['svc', 'engine', 'clock', 'set', instant === '' ? 'WHEN' : `${instant}:00Z`]} />
            </form>
          </Card>
        </div>
      )}
    </>
  )
}
