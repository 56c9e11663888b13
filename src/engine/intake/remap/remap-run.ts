/** What remaps of imports and of live providers share: the spool of each user, its write, and the report. */
import type { HandlerInput, JsonReply, ReplyBody } from '../../../contract/kernel/operation.ts'
import type { Operations } from '../../../contract/operations.ts'
import { ServiceError } from '../../../core/errors.ts'
import { ownedId } from '../../../core/ids.ts'
import { randomUuid } from '../../../core/random.ts'
import type { ImportSpool } from '../../../store/imports/spool.ts'
import type { RemapOutcome, RemapPlan } from '../../../store/remap.ts'
import type { UserRecord } from '../../../store/user.ts'
import { type EngineContext, ok, type TeamCall } from '../../context.ts'
import { seal, unseal } from '../../sealed-cursor.ts'
import { cancelled } from '../import-file.ts'
import { connectionsOfData } from '../ingestion.ts'
import { ChangeList } from './change-list.ts'

export type RemapReport = ReplyBody<Operations['import.remap']>
type UserReport = RemapReport['users'][number]
export type LeftOut = RemapReport['left_out'][number]
type Query = HandlerInput<Operations['import.remap']>['query']

/** Format of a remap in the list of imports. */
export const REMAP_FORMAT = 'remap'
/** Maximum number of IDs in a message. */
const MOST_IDS = 20
const PAGINATION = 'dry run'
const POSITION_BYTES = 8

/** One user's data, read again. */
export interface ReadAgain {
  readonly spool: ImportSpool
  readonly plan: RemapPlan
  readonly importIds: readonly string[]
  readonly responses: number
  readonly records: number
}

/** One user's step. */
interface RemapStep {
  write(): Promise<RemapOutcome>
  note(outcome: RemapOutcome): void
}

/** One step for each user, and what they report together. */
export class RemapRun {
  private users: readonly UserReport[] = []
  private readonly leftOut: LeftOut[] = []
  private readonly changes: ChangeList
  private readonly engine: EngineContext
  private readonly call: TeamCall
  private readonly query: Query
  private readonly pagination: readonly unknown[]

  /** `selection` identifies what is read again, so that a cursor is valid only for it. */
  constructor(engine: EngineContext, call: TeamCall, query: Query, selection: readonly unknown[]) {
    this.engine = engine
    this.call = call
    this.query = query
    this.pagination = ['remap', call.team.teamId, ...selection]
    if (query.next_cursor && !query.dry_run) throw cursorWithoutDryRun()
    this.changes = new ChangeList({ skip: this.position(), limit: query.limit })
  }

  leaveOut(left: LeftOut): void {
    this.leftOut.push(left)
  }

  /** Compares and stores the data of one of several users. `read` reads it again; its spool is empty afterwards. */
  async user(user: UserRecord, read: () => Promise<ReadAgain>): Promise<void> {
    const step = await this.begin(user, read)
    await this.guarded(async () => step.note(await step.write()))
  }

  /** Does the same for the only user. With an idempotency key, the reply is stored together with the differences. */
  async only(user: UserRecord, read: () => Promise<ReadAgain>): Promise<JsonReply<RemapReport>> {
    const step = await this.begin(user, read)
    return this.guarded(() =>
      this.call.settle(
        () => step.write(),
        outcome => {
          step.note(outcome)
          return this.report()
        },
      ),
    )
  }

  report(): JsonReply<RemapReport> {
    const { page, total, next } = this.changes
    return ok<RemapReport>({
      changes: page,
      total,
      next_cursor: next === null ? null : seal(this.engine.masterKey(), this.pagination, encodePosition(next)),
      dry_run: this.query.dry_run,
      users: [...this.users],
      left_out: this.leftOut,
    })
  }

  /** Reads one user's data again. Returns its write, and what adds the outcome to the report. */
  private async begin(user: UserRecord, read: () => Promise<ReadAgain>): Promise<RemapStep> {
    const { spool, plan, importIds, responses, records } = await this.guarded(read)
    const { userId, clientUserId } = user
    const importId = ownedId(userId, 'import', randomUuid(this.engine.random))
    const before = [...this.users]
    return {
      write: () => this.write(user, importId, spool, plan, records),
      note: ({ counts, hasChanges }) => {
        // the outcome of a repeated transaction replaces the first one
        this.users = [
          ...before,
          {
            ...{ user_id: userId, client_user_id: clientUserId },
            import_id: hasChanges && !this.query.dry_run ? importId : null,
            ...{ import_ids: [...importIds], responses, records },
            counts: Object.fromEntries(Object.entries(counts).map(([name, each]) => [name, { ...each }])),
          },
        ]
      },
    }
  }

  /** Explains an error by what was stored before it. */
  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.afterOthers(this.call.signal?.aborted ? cancelled(error) : error)
    }
  }

  private async write(
    user: UserRecord,
    importId: string,
    spool: ImportSpool,
    plan: RemapPlan,
    records: number,
  ): Promise<RemapOutcome> {
    const { dry_run: isDryRun } = this.query
    const context = {
      at: this.call.now,
      teamId: user.teamId,
      events: { kind: 'daily' as const },
      importing: {
        ...{ importId, format: REMAP_FORMAT, records, skipped: [] },
        remap:
          plan.kind === 'imports'
            ? { kind: plan.kind, importIds: plan.importIds }
            : { kind: plan.kind, provider: plan.provider },
      },
      connections: connectionsOfData(user, await spool.providers(), this.call.now),
    }
    const listener = isDryRun ? this.changes.of(user) : null
    return spool.remap(user.userId, context, plan, {
      ...{ listener, isDryRun },
      storing: () => this.call.about('import_id', importId),
    })
  }

  private position(): number {
    const { next_cursor: cursor } = this.query
    if (!cursor) return 0
    return unseal(this.engine.masterKey(), this.pagination, cursor, POSITION_BYTES, PAGINATION).readDoubleBE()
  }

  /** Returns the error with the steps that were stored before it, because each user's step is a separate transaction. */
  private afterOthers(error: unknown): unknown {
    const stored = this.users.flatMap(({ import_id }) => import_id ?? [])
    if (!(error instanceof ServiceError) || stored.length === 0) return error
    const ids = `${stored.slice(0, MOST_IDS).join(', ')}${stored.length > MOST_IDS ? ' …' : ''}`
    const before = `Before that, ${stored.length === 1 ? 'one user was' : `${stored.length} users were`} remapped, as ${ids}.`
    return new ServiceError(error.code, `${error.message} ${before}`, {
      suggestions: [...error.suggestions, 'Run the remap again to continue, or undo these with `svc import undo`.'],
      cause: error,
    })
  }
}

function encodePosition(position: number): Buffer {
  const state = Buffer.alloc(POSITION_BYTES)
  state.writeDoubleBE(position)
  return state
}

function cursorWithoutDryRun(): ServiceError {
  return new ServiceError('invalid_request', 'A cursor is only for a dry run, because a remap lists no changes.', {
    suggestions: ['Leave out the cursor, or add --dry-run.'],
  })
}
