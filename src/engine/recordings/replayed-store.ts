/** The store in which a recording is replayed. Every entry runs at its recorded time and with its recorded randomness. */
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HeadLine } from '../../contract/engine/recording.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import { clockAt } from '../../core/clock.ts'
import { ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import { scratchName } from '../../store/folder/data-folder.ts'
import type { Store } from '../../store/port.ts'
import type { UserJobKind } from '../../store/upkeep.ts'
import { replyOutcome } from '../audit/audit.ts'
import type { Credentials, EngineContext, TeamCall } from '../context.ts'
import { runJob } from '../upkeep/jobs.ts'
import { repeatableMoment } from './recorded-change.ts'
import { isRecorded } from './recorded-operations.ts'
import { type CallLine, damagedLine, type EntryLine } from './recording-lines.ts'

/** A call whose upload is still being read. */
interface Uploading {
  readonly line: CallLine
  readonly at: number
  readonly path: string
  readonly missing: number
}

export class ReplayedStore {
  /** Number of the last entry. */
  last = 0
  readonly counts = { entries: 0, calls: 0, dueWork: 0 }
  private readonly store: Store
  private readonly engine: EngineContext
  private readonly call: TeamCall
  /** Entries up to this number are already in the initial state. */
  private readonly after: number
  private real: EpochMs = 0
  private isOpen = true
  private uploading: Uploading | null = null
  /** Calls that did not succeed, by entry number, until the recording reports the same outcome. */
  private readonly surprises = new Map<number, { readonly operation: string; readonly outcome: string }>()

  constructor(engine: EngineContext, call: TeamCall, path: string, head: HeadLine) {
    this.call = call
    this.after = head.after
    this.store = engine.scratchStore(path, { now: () => this.real })
    this.engine = { ...engine, store: this.store, seed: head.seed }
  }

  /** Processes a line. Throws ServiceError `invalid_file` for a misplaced line, and `conflict` for an entry whose outcome differs. */
  async take(line: EntryLine, at: number): Promise<void> {
    if ('upload' in line) return this.takeUpload(line, at)
    if (this.uploading !== null || line.number !== this.last + 1)
      throw damagedLine(at, 'does not follow the previous line')
    this.last = line.number
    this.counts.entries++
    if ('real' in line) this.real = line.real
    if ('operation' in line && (line.pieces ?? 0) > 0) {
      const path = join(this.engine.scratchDir, scratchName('upload'))
      this.uploading = { line, at, path, missing: line.pieces ?? 0 }
      return
    }
    if (line.number > this.after) await this.run(line, at)
  }

  /**
   * Checks that nothing is missing, and freezes the clock at the recording's end, or at its last entry if there is no end. Returns this
   * time.
   */
  async finish(end: EpochMs | null): Promise<EpochMs> {
    if (this.uploading !== null) throw damagedLine(this.uploading.at, 'is missing its upload')
    const [surprise] = this.surprises
    if (surprise) throw otherwise(surprise[0], surprise[1].operation, surprise[1].outcome, 'ok')
    const now = end ?? clockAt(await this.store.clock.read(), this.real)
    await this.store.clock.set({ offsetMs: now - this.call.now, frozenAt: now }, now)
    return now
  }

  async close(): Promise<void> {
    if (this.uploading !== null) await rm(this.uploading.path, { force: true })
    if (this.isOpen) await this.store.close()
    this.isOpen = false
  }

  private async run(line: Exclude<EntryLine, { readonly upload: unknown }>, at: number): Promise<void> {
    if ('operation' in line) return this.repeat(line, at, null)
    if ('due' in line) {
      const { kind, user_id: userId, subject, due_at: dueAt } = line.due
      const job = { kind: kind as UserJobKind, userId, dueAt, ...(subject === undefined ? {} : { subject }) }
      const engine = { ...this.engine, ...repeatableMoment(this.engine, line.real, line.chance) }
      await runJob(engine, job, { now: line.now, signal: this.call.signal })
      this.counts.dueWork++
    } else if ('event' in line) {
      const { user_id: userId, team_id: teamId, type, at: happened, document } = line.event
      await this.store.recordings.emit(userId, { teamId: teamId as TeamId, type, at: happened, document })
    } else if ('teams' in line) await this.store.recordings.addTeams(line.teams)
    else this.compare(line.of, line.outcome)
  }

  private compare(of: number, outcome: string): void {
    if (of <= this.after) return
    const surprise = this.surprises.get(of)
    if (surprise?.outcome !== outcome)
      throw otherwise(of, surprise?.operation ?? 'a call', surprise?.outcome ?? 'ok', outcome)
    this.surprises.delete(of)
  }

  private async takeUpload(line: Extract<EntryLine, { readonly upload: unknown }>, at: number): Promise<void> {
    const { uploading } = this
    if (uploading === null || line.number !== uploading.line.number) throw damagedLine(at, 'is in the wrong place')
    await appendFile(uploading.path, Buffer.from(line.upload, 'base64'), { mode: 0o600 })
    const missing = uploading.missing - 1
    this.uploading = { ...uploading, missing }
    if (missing > 0) return
    if (line.number > this.after) await this.repeat(uploading.line, uploading.at, uploading.path)
    await rm(uploading.path, { force: true })
    this.uploading = null
  }

  private async repeat(line: CallLine, at: number, upload: string | null): Promise<void> {
    const { operation, params, query = {}, headers, body } = line
    if (!Object.hasOwn(operations, operation) || !isRecorded(operation as OperationId)) {
      throw damagedLine(at, 'contains an operation that is not replayed')
    }
    const engine = { ...this.engine, ...repeatableMoment(this.engine, line.real, line.chance) }
    this.counts.calls++
    let outcome: string
    try {
      const reply = await this.call.operate(engine, operation as OperationId, {
        input: { params, query, body: upload === null ? body : { kind: 'file', path: upload }, headers },
        credentials: await this.findCredentials(line, at),
        accept: '*/*',
      })
      outcome = replyOutcome(reply)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'invalid_file') throw error
      outcome = error.code
    }
    if (outcome !== 'ok') this.surprises.set(line.number, { operation, outcome })
  }

  private async findCredentials(line: CallLine, at: number): Promise<Credentials> {
    const teamId = line.team_id
    const linkToken = line.link_token ?? null
    if (teamId === null) return { kind: 'headers', apiKey: null, linkToken }
    const team = await this.store.teams.find(teamId as TeamId)
    if (team === null) throw damagedLine(at, 'refers to a team that does not exist')
    return { kind: 'team', team, linkToken }
  }
}

function otherwise(number: number, operation: string, outcome: string, expected: string): ServiceError {
  const said = (what: string): string => (what === 'ok' ? 'succeeded' : `ended as ${what}`)
  return new ServiceError(
    'conflict',
    `Entry ${number} of the recording (${operation}) ${said(outcome)} now, but ${said(expected)} when it was recorded. Nothing was changed.`,
    { suggestions: ['Replay it with the version of svc that recorded it, and with the same SVC_PROVIDERS.'] },
  )
}
