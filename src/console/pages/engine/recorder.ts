/**
 * Records the engine's input in the browser, as `svc engine record` does in a terminal. The server ends a recording that has not been read
 * for a while, so the page reads it every few seconds and keeps the lines until they are saved as a file.
 */
import { call, callRaw } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'

export interface RecordedFile {
  readonly name: string
  readonly content: Blob
}

const READ_EVERY_MS = 2_000
const LINE_FEED = 0x0a

export class Recorder {
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
    const first = JSON.parse(lineAt(head, 0).text) as { recording_id: string } // the server responds with a recording
    return new Recorder(head, first.recording_id, options)
  }

  /** Stops the recording and returns a file with everything recorded so far. */
  async stop(): Promise<RecordedFile> {
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
    this.entries = lastNumber(lines) ?? this.entries
    this.onEntries(this.entries)
  }
}

interface RecorderOptions {
  readonly onEntries: (entries: number) => void
  readonly onProblem: (problem: Problem) => void
}

function lineAt(bytes: ArrayBuffer, from: number): { readonly text: string; readonly next: number } {
  const view = new Uint8Array(bytes)
  const end = view.indexOf(LINE_FEED, from)
  const stop = end === -1 ? view.length : end
  return { text: new TextDecoder().decode(view.subarray(from, stop)), next: stop + 1 }
}

/** Returns the number of the last entry. Lines that contain part of an upload have no number. */
function lastNumber(bytes: ArrayBuffer): number | undefined {
  let last: number | undefined
  for (let at = 0; at < bytes.byteLength; ) {
    const { text, next } = lineAt(bytes, at)
    at = next
    const { number } = JSON.parse(text) as { number?: number } // as above
    last = number ?? last
  }
  return last
}
