/** A recorder and a replayer for tests: the same as `svc engine record` and `svc engine replay`, without files. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BytesReply } from '../../../src/contract/kernel/operation.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

/** Returns the text of a binary response. */
export async function readText(reply: unknown): Promise<string> {
  const { bytes } = reply as BytesReply
  if (bytes instanceof Uint8Array) return Buffer.from(bytes).toString('utf8')
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** Calls an operation with a binary response. */
export async function responseBytes(harness: Harness, id: never, input: object = {}): Promise<string> {
  const { params = {}, query = {}, body } = input as { params?: object; query?: object; body?: unknown }
  const reply = await runOperation(harness.engine.context, id, {
    input: { params: params as never, query: query as never, body },
    credentials: { kind: 'team', team: harness.team, linkToken: null },
    accept: '*/*',
  })
  return readText(reply)
}

export class Recorder {
  readonly recordingId: string
  text: string
  private read = 0
  private readonly harness: Harness

  private constructor(harness: Harness, head: string) {
    this.harness = harness
    this.text = head
    this.recordingId = (JSON.parse(head.slice(0, head.indexOf('\n'))) as { recording_id: string }).recording_id
  }

  static async start(harness: Harness): Promise<Recorder> {
    return new Recorder(harness, await responseBytes(harness, 'recording.start' as never))
  }

  /** Reads the lines recorded since the last call. */
  async take(): Promise<number> {
    const params = { recording_id: this.recordingId }
    const text = await responseBytes(this.harness, 'recording.read' as never, { params, body: { after: this.read } })
    this.text += text
    const numbers = text
      .split('\n')
      .filter(line => line !== '')
      .map(line => (JSON.parse(line) as { number: number }).number)
    this.read = numbers.at(-1) ?? this.read
    return numbers.length
  }

  /** Ends the recording and returns all of it. */
  async stop(): Promise<string> {
    const params = { recording_id: this.recordingId }
    for (;;) {
      const { at, done, entries } = await this.harness.call('recording.stop', { params, body: { read: this.read } })
      if (done) {
        this.text += `${JSON.stringify({ end: { at, entries } })}\n`
        return this.text
      }
      await this.take()
    }
  }
}

/** Returns a file with this text. */
export function recordingFile(text: string): { readonly kind: 'file'; readonly path: string } {
  const path = join(temporaryFolder(), 'recording.ndjson')
  writeFileSync(path, text)
  return { kind: 'file', path }
}

/** Returns everything that can be read about every user. */
export async function seen(harness: Harness): Promise<Record<string, unknown>> {
  const list = await harness.call('user.list', { query: { limit: 500 } })
  // the cursor is signed with a key of the folder
  const { next_cursor: _, ...told } = await harness.call('event.list', {
    query: { order: 'asc', payload: 'true', limit: 500 },
  } as never)
  const clock = await harness.call('clock.get', {})
  const users: Record<string, unknown> = { list, told: JSON.stringify(told), now: clock.now }
  for (const user of list.users) {
    const { user_id } = user
    const events = await harness.engine.context.store.events.ofUser(user_id as never, 0, 10_000)
    users[user_id] = {
      export: await responseBytes(harness, 'user.export' as never, { params: { user_id } }),
      events: events.map(each => [each.eventId, each.sequence, each.type, each.at, JSON.stringify(each.data)]),
      providers: await harness.call('user.providers', { params: { user_id } }),
      imports: await harness.call('import.list', { query: { user_id } }),
    }
  }
  return users
}

/** Replays the recording into a new folder. */
export async function replayed(text: string): Promise<Harness> {
  const empty = await openHarness({ chance: 'another' })
  await empty.call('recording.replay', { body: recordingFile(text) })
  await empty.engine.close()
  // the local team is now the recording's
  return openHarness({ chance: 'a third', dataDir: empty.dataDir })
}
