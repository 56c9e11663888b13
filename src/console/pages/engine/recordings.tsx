/** Records the engine's input, and replays a recording into an empty store. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ResponseOf, sendRequest } from '../../api/call.ts'
import type { Problem } from '../../api/problem.ts'
import { ROUTES } from '../../api/routes.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { FieldFrame } from '../../parts/field-frame.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Badge, Command } from '../../parts/small.tsx'
import { Loaded, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { Recorder } from './recorder.ts'

export function Recordings() {
  return (
    <>
      <Record />
      <Replay />
      <Command words={['svc', 'engine', 'record', 'session.ndjson']} />
    </>
  )
}

function Record() {
  const load = useLoad('recording.get', {})
  const recorder = useRef<Recorder | null>(null)
  const [entries, setEntries] = useState<number | null>(null)
  const [broken, setBroken] = useState<Problem | null>(null)
  // the file cannot be saved after the page is closed, so the server does not need to keep the entries
  useEffect(() => () => recorder.current?.abandon(), [])
  const start = useAction(async () => {
    setBroken(null)
    recorder.current = await Recorder.start({ onEntries: setEntries, onProblem: setBroken })
    setEntries(0)
    load.reload()
  })
  const stop = useAction(async () => {
    const file = await recorder.current?.stop()
    recorder.current = null
    setEntries(null)
    load.reload()
    if (file) saveFile(file.name, file.content)
  })
  return (
    <Card title="Record">
      <p class="soft">
        A recording contains the store's current state and every change from then on, so that you can reproduce a bug
        with the same ids and bytes. It contains health data: keep the file private. Leaving this page ends the
        recording without a file.
      </p>
      <Loaded load={load} lines={1}>
        {state => (
          <p class="row" role="status">
            {entries !== null ? (
              <>
                <Badge tone="accent">Recording</Badge> {count(entries)} changes so far
              </>
            ) : state.recording_id === null ? (
              <span>No recording is running.</span>
            ) : (
              <span>Another client is recording: {count(state.entries)} changes so far.</span>
            )}
          </p>
        )}
      </Loaded>
      <ProblemNote problem={broken ?? start.problem ?? stop.problem} />
      <div class="row">
        {entries === null ? (
          <Button kind="primary" isBusy={start.isRunning} needs="recording.start" onClick={start.run}>
            Start
          </Button>
        ) : (
          <Button kind="primary" isBusy={stop.isRunning} onClick={stop.run}>
            Stop and save
          </Button>
        )}
      </div>
    </Card>
  )
}

type Report = ResponseOf<'recording.replay'>

function Replay() {
  const [report, setReport] = useState<Report | null>(null)
  const replay = useAction(async (file: File) => {
    setReport(null)
    const [method = 'POST', path = ''] = ROUTES['recording.replay'].split(' ')
    const response = await sendRequest(method, path, { body: file, type: 'application/vnd.svc.recording' })
    setReport((await response.json()) as Report) // this operation responds with a report
  })
  return (
    <Card title="Replay">
      <p class="soft">The store must be empty. Afterwards, the clock is frozen at the end of the recording.</p>
      <FieldFrame label="Recording">
        {control => (
          <input
            {...control}
            type="file"
            class="input"
            disabled={replay.isRunning}
            onChange={event => {
              const file = event.currentTarget.files?.[0]
              if (file) replay.run(file)
            }}
          />
        )}
      </FieldFrame>
      <ProblemNote problem={replay.problem} />
      {replay.isRunning && <Skeleton lines={2} />}
      {report && (
        <Facts
          rows={[
            ['Calls', count(report.calls)],
            ['Jobs', count(report.due_work)],
            ['Users', count(report.users)],
            ['Clock', <Time key="clock" at={report.clock} withSeconds />],
            ['Complete', report.complete ? 'yes' : 'no: the file ends before the recording does'],
          ]}
        />
      )}
    </Card>
  )
}
