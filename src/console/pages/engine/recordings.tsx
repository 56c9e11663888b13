/** Records the engine's input, and replays a recording into an empty store. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, callRaw, type ResponseOf, sendRequest } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import { ROUTES } from '../../api/routes.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { FieldFrame } from '../../parts/field-frame.tsx'
import { saveFile } from '../../parts/files.ts'
import { Card, Facts } from '../../parts/page.tsx'
import { Badge, Command } from '../../parts/small.tsx'
import { Loaded, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'

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

const READ_EVERY_MS = 2_000

/**
 * Records the engine's input in the browser, as `svc engine record` does in a terminal. The server ends a recording that has not been read
 * for a while, so the page reads it every few seconds and keeps the lines until they are saved as a file.
 */
class Recorder {
  /** Number of the last entry read. */
  entries = 0
  private readonly recordingId: string
  private readonly onEntries: (entries: number) => void
  private readonly onProblem: (problem: Problem) => void
  private readonly pieces: ArrayBuffer[] = []
  private reading: Promise<void> = Promise.resolve()
  private readonly timer: ReturnType<typeof setInterval>

  private constructor(head: ArrayBuffer, recordingId: string, options: RecorderOptions) {
    this.pieces.push(head)
    this.recordingId = recordingId
    this.onEntries = options.onEntries
    this.onProblem = options.onProblem
    this.timer = setInterval(() => this.readNext(), READ_EVERY_MS)
  }

  /** Starts a recording. Throws Problem, for example if another one is running. */
  static async start(options: RecorderOptions): Promise<Recorder> {
    const response = await callRaw('recording.start', {})
    const head = await response.arrayBuffer()
    return new Recorder(head, readLines(head)[0]?.recording_id ?? '', options)
  }

  /** Stops the recording and returns a file with everything recorded so far. */
  async stop() {
    clearInterval(this.timer)
    await this.reading
    const params = { recording_id: this.recordingId }
    for (;;) {
      const stopped = await call('recording.stop', { params, body: { read: this.entries } })
      if (stopped.done) {
        const end = `${JSON.stringify({ end: { at: stopped.at, entries: stopped.entries } })}\n`
        return { name: `recording-${this.recordingId}.ndjson`, content: new Blob([...this.pieces, end]) }
      }
      await this.read()
    }
  }

  /** Stops the recording and discards it. */
  abandon(): void {
    clearInterval(this.timer)
    const params = { recording_id: this.recordingId }
    call('recording.stop', { params, body: { read: Number.MAX_SAFE_INTEGER } }).catch(() => {})
  }

  private readNext(): void {
    this.reading = this.reading
      .then(() => this.read())
      .catch((error: unknown) => {
        clearInterval(this.timer)
        this.onProblem(
          error instanceof Problem ? error : new Problem(0, 'console_bug', 'The recording could not be read.'),
        )
      })
  }

  private async read(): Promise<void> {
    const params = { recording_id: this.recordingId }
    const response = await callRaw('recording.read', { params, body: { after: this.entries } })
    const lines = await response.arrayBuffer()
    if (lines.byteLength === 0) return
    this.pieces.push(lines)
    this.entries = readLines(lines).findLast(each => each.number !== undefined)?.number ?? this.entries
    this.onEntries(this.entries)
  }
}

interface RecorderOptions {
  readonly onEntries: (entries: number) => void
  readonly onProblem: (problem: Problem) => void
}

/** Returns the numbered entries; lines that contain part of an upload have no number. */
function readLines(bytes: ArrayBuffer): readonly { readonly recording_id?: string; readonly number?: number }[] {
  const lines = new TextDecoder().decode(bytes).split('\n').filter(Boolean)
  return lines.map(line => JSON.parse(line)) // the server responds with a recording
}
