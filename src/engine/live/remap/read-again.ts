/** Maps a connection's stored raw responses again. The newest response about a record counts. */
import type { PulledPage, PullRequest } from '../../../connectors/connector.ts'
import { ProviderError } from '../../../connectors/provider-session.ts'
import type { ImportSpool } from '../../../store/imports/spool.ts'
import type { LiveKey } from '../../../store/live/connections.ts'
import type { LiveRecord, RawHead } from '../../../store/live/pulls.ts'
import type { RemappedRecord } from '../../../store/live/remapped-record.ts'
import { remappedRecord } from '../../../store/logic/live/remapped.ts'
import type { UserRecord } from '../../../store/user.ts'
import type { EngineContext } from '../../context.ts'
import { withinBounds } from '../../intake/ingestion.ts'
import type { ReadAgain } from '../../intake/remap/remap-run.ts'
import { mappedPages } from '../mapping/mapping.ts'
import type { LiveApp } from '../oauth-apps/live-app.ts'
import { NoStoredResponse, ReplaySession } from './replay.ts'

export interface Connection {
  readonly key: LiveKey
  readonly user: UserRecord
  readonly live: LiveApp
  /** The resources that the connection supplies today. */
  readonly resources: readonly string[]
  readonly signal: AbortSignal | undefined
}

/** What was read again, and the reasons for what was not. */
export interface Remapping extends ReadAgain {
  readonly leftOut: ReadonlyMap<string, number>
}

const OLD = 'stored by an earlier version, without its request'
const UNREADABLE = 'the response can no longer be read'
const CHANGED = 'the record has changed since, or no longer exists'

/** Reads responses again, oldest first. The spool has the data afterwards, unless an error is thrown. */
export async function readAgain(
  engine: EngineContext,
  connection: Connection,
  heads: readonly RawHead[],
): Promise<Remapping> {
  const spool = await engine.store.data.openSpool()
  try {
    return await new Reading(engine, connection, spool).run(heads)
  } catch (error) {
    await spool.discard()
    throw error
  }
}

class Reading {
  private responses = 0
  private readonly records = new Map<string, RemappedRecord>()
  private readonly leftOut = new Map<string, number>()
  private readonly engine: EngineContext
  private readonly connection: Connection
  private readonly spool: ImportSpool

  constructor(engine: EngineContext, connection: Connection, spool: ImportSpool) {
    this.engine = engine
    this.connection = connection
    this.spool = spool
  }

  async run(heads: readonly RawHead[]): Promise<Remapping> {
    const pulls = this.pullsOf(heads)
    // first find out which pull has the newest response about each record
    const newest = new Map<string, number>()
    for (const [at, pull] of pulls.entries()) {
      await this.pages(pull, async (collection, { records }) => {
        for (const { id } of records) newest.set(nameOf(collection, id), at)
      })
    }
    this.responses = 0
    this.leftOut.clear()
    this.noteOld(heads)
    for (const [at, pull] of pulls.entries()) {
      await this.pages(pull, (collection, page) => {
        const isNewest = (id: string): boolean => newest.get(nameOf(collection, id)) === at
        return this.add(collection, page, isNewest)
      })
    }
    const { responses, spool, leftOut } = this
    const records = [...this.records.values()]
    const plan = { kind: 'provider', provider: this.connection.key.provider, records } as const
    return { spool, plan, importIds: [], responses, records: records.length, leftOut }
  }

  /** Returns the responses by pull, the earliest pull first. */
  private pullsOf(heads: readonly RawHead[]): RawHead[][] {
    const pulls = new Map<string, RawHead[]>()
    for (const head of heads) {
      if (head.pullId === null) continue
      const known = pulls.get(head.pullId)
      if (known) known.push(head)
      else pulls.set(head.pullId, [head])
    }
    return [...pulls.values()]
  }

  private noteOld(heads: readonly RawHead[]): void {
    const old = heads.filter(({ pullId }) => pullId === null).length
    if (old > 0) this.leftOut.set(OLD, old)
  }

  /** Calls `found` for each page of a pull, until a response is missing. */
  private async pages(
    heads: readonly RawHead[],
    found: (collection: string, page: PulledPage) => Promise<void>,
  ): Promise<void> {
    const { engine, connection } = this
    const { key, user, live, resources, signal } = connection
    let session: ReplaySession | null = null
    try {
      session = await ReplaySession.open(engine, { key, heads }, { app: live.app, signal })
      if (session === null) return
      const asked: PullRequest = { ...session.asked, resources, userId: user.userId }
      const of = { connector: live.connector, teamId: user.teamId }
      for await (const page of mappedPages(engine.mapping, of, session, asked)) await found(asked.collection, page)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      this.leave(error instanceof NoStoredResponse ? error.reason : UNREADABLE, 1)
    } finally {
      this.responses += session?.used ?? 0
    }
  }

  private async add(collection: string, page: PulledPage, isNewest: (id: string) => boolean): Promise<void> {
    const { user, key } = this.connection
    const found = page.records.filter(({ id, isDeleted }) => isNewest(id) && isDeleted !== true)
    const versions = await this.engine.store.live.pulls.recordVersions(
      key,
      collection,
      found.map(({ id }) => id),
    )
    for (const record of found) {
      const name = nameOf(collection, record.id)
      if (this.records.has(name)) continue
      if (versions.get(record.id) !== record.version) {
        this.leave(CHANGED, 1)
        continue
      }
      const within: LiveRecord = { ...record, ...withinBounds(user, record).data }
      this.records.set(name, remappedRecord(collection, within))
      await this.spool.add(within)
    }
    await this.spool.add(withinBounds(user, { batches: page.batches, summaries: [], streams: [] }).data)
  }

  private leave(reason: string, count: number): void {
    this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + count)
  }
}

function nameOf(collection: string, id: string): string {
  return JSON.stringify([collection, id])
}
