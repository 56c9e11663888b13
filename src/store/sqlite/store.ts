/** The SQLite adapter of the store's port: one file in WAL mode, one transaction for each call. See docs/storage.md. */
import { type ClockState, type RealTime, systemTime } from '../../core/clock.ts'
import type { TeamId, UserId } from '../../core/ids.ts'
import type { SummaryKind } from '../../core/sample.ts'
import type { Answer, KeyedCall } from '../answer.ts'
import type { AuditEntry } from '../audit.ts'
import type { DataWrite, ImportPage } from '../data-write.ts'
import { removeAbandoned } from '../folder/data-folder.ts'
import type { SamplePosition, SampleQuery, SeriesSlice, Store, SummaryQuery, UserRecord } from '../port.ts'
import type { TapeEntry } from '../tape.ts'
import type { NewTeam, TeamRecord } from '../team.ts'
import type { CheckProgress, DueJob, ScrubOptions } from '../upkeep.ts'
import { checkStore } from './check/check.ts'
import { rewriteUnchecked } from './check/checksums.ts'
import { checkRoom } from './check-room.ts'
import { Connection } from './connection.ts'
import { SqliteContinuousQueries } from './continuous/store.ts'
import { SqliteDeliveries } from './deliveries/deliveries.ts'
import { SqliteEvents } from './events/events.ts'
import { SqliteFaults } from './faults.ts'
import { listImports } from './imports/imports.ts'
import { ImportSpool } from './imports/spool.ts'
import { undoImport } from './imports/undo.ts'
import { dueJobs } from './jobs.ts'
import { SqliteLinks } from './links/links.ts'
import { type OpeningOptions, openDatabase } from './opening.ts'
import { SqliteOrders } from './orders/orders.ts'
import { FolderPart } from './part.ts'
import { writeHeld } from './samples/data-writer.ts'
import { readPage } from './samples/reader.ts'
import { deleteSamples } from './samples/restore.ts'
import { scanAll } from './samples/scan.ts'
import { findStream, streamIds } from './samples/streams.ts'
import { findSummary, readSummaries } from './samples/summaries.ts'
import { SqliteSnapshots } from './snapshots/snapshots.ts'
import { statistics } from './statistics.ts'
import { tapingConnection } from './tape/entries.ts'
import { SqliteTape } from './tape/tape.ts'
import { answeringConnection, SqliteAnswers } from './teams/answers.ts'
import { auditingConnection, SqliteAudit } from './teams/audit.ts'
import { SqlitePriorities } from './teams/priorities.ts'
import { findTeam } from './teams/row.ts'
import { readClock } from './teams/settings.ts'
import { findLocalTeam, insertLocalTeam, SqliteTeams } from './teams/teams.ts'
import { writeClock } from './teams/write-clock.ts'
import { accountIsTaken, connectionsOf } from './users/connections.ts'
import { SqliteDevices } from './users/devices.ts'
import { SqliteUsers } from './users/life.ts'
import { SqlitePeople } from './users/people.ts'
import { SqliteProfiles } from './users/profiles.ts'
import { SqlitePulls } from './users/pulls.ts'
import { purgeUser, scrub } from './users/purge.ts'
import * as users from './users/users.ts'
import { SqliteWebhooks } from './webhooks/webhooks.ts'

export interface SqliteOptions extends Omit<OpeningOptions, 'realNow'> {
  /** The system's if absent. */
  readonly time?: RealTime | undefined
}

/** Opens or creates the database of a data folder. Throws `data_folder`, `data_too_new`, `data_damaged` or `store_lost`. */
export function openSqliteStore(options: SqliteOptions): Store {
  // SQLite's temporary files hold health data too, and must stay in the folder; SQLite reads the variable once, before it opens one
  process.env['SQLITE_TMPDIR'] ??= options.folder.scratch
  const { time = systemTime } = options
  return new SqliteStore(openDatabase({ ...options, realNow: () => time.now() }), options.folder)
}

class SqliteStore extends FolderPart implements Store {
  readonly teams = new SqliteTeams(this.db)
  readonly audit = new SqliteAudit(this.db)
  readonly answers = new SqliteAnswers(this.db)
  readonly sharing = this.db
  readonly snapshots = new SqliteSnapshots(this.db, this.folder)
  readonly faults = new SqliteFaults(this.db)
  readonly priorities = new SqlitePriorities(this.db)
  readonly continuous = new SqliteContinuousQueries(this.db)
  readonly orders = new SqliteOrders(this.db)
  readonly links = new SqliteLinks(this.db)
  readonly users = new SqliteUsers(this.db)
  readonly profiles = new SqliteProfiles(this.db)
  readonly people = new SqlitePeople(this.db)
  readonly devices = new SqliteDevices(this.db)
  readonly pulls = new SqlitePulls(this.db)
  readonly webhooks = new SqliteWebhooks(this.db)
  readonly deliveries = new SqliteDeliveries(this.db)
  readonly events = new SqliteEvents(this.db)
  readonly tape = new SqliteTape(this.db, this.folder)

  async close(): Promise<void> {
    await this.db.settled()
    this.db.close()
  }

  async ping(): Promise<void> {
    this.db.files?.lookClosely()
    await this.db.read(() => this.db.get('SELECT 1 FROM setting LIMIT 1'))
  }

  checkRoom() {
    return checkRoom(this.db, this.folder.path)
  }

  auditing(entry: () => AuditEntry) {
    const { db, isAudited } = auditingConnection(this.db, entry)
    return { store: new SqliteStore(db, this.folder), isAudited }
  }

  answering(call: KeyedCall, answerTo: (outcome: unknown) => Answer | null) {
    const { db, hasChanged } = answeringConnection(this.db, call, answerTo)
    return { store: new SqliteStore(db, this.folder), hasChanged }
  }

  taping(taped: TapeEntry) {
    const { db, entry } = tapingConnection(this.db, taped)
    // an entry in the audit trail is not a change of its own
    return { store: Object.assign(new SqliteStore(db, this.folder), { audit: this.audit }), entry }
  }

  apart(path: string, time: RealTime): Store {
    const db = new Connection({ path, waitForLock: 'blocking', durable: false, realNow: () => time.now() })
    return new SqliteStore(db, { ...this.folder, database: path })
  }

  clock() {
    return this.db.read(() => this.db.remembered('clock', () => readClock(this.db)))
  }

  setClock(state: ClockState, now: number, before?: ClockState) {
    return this.db.write(() => writeClock(this.db, state, now, before))
  }

  async ensureLocalTeam(candidate: () => Promise<NewTeam>): Promise<TeamRecord> {
    const known = await this.db.read(() => findLocalTeam(this.db))
    if (known) return known
    const team = await candidate()
    // another process may have created it in the meantime: look again inside the transaction
    return this.db.write(() => findLocalTeam(this.db) ?? insertLocalTeam(this.db, team))
  }

  team(teamId: TeamId) {
    return this.db.read(() => findTeam(this.db, teamId))
  }

  createUser(user: UserRecord) {
    return this.db.write(() => users.insertUser(this.db, user))
  }

  user(teamId: TeamId, userId: UserId) {
    return this.db.read(() =>
      this.db.remembered(`user ${teamId} ${userId}`, () => users.findUser(this.db, teamId, userId)),
    )
  }

  userByClientId(teamId: TeamId, clientUserId: string) {
    return this.db.read(() => users.findByClientId(this.db, teamId, clientUserId))
  }

  listUsers(teamId: TeamId, offset: number, limit: number) {
    return this.db.read(() => users.pageOfUsers(this.db, teamId, offset, limit))
  }

  deleteUser(teamId: TeamId, userId: UserId, at: number, purgeAt: number) {
    return this.db.write(() => users.markDeleted(this.db, teamId, userId, { at, purgeAt }))
  }

  latestDeletion(teamId: TeamId, clientUserId: string) {
    return this.db.read(() => users.lastDeleted(this.db, teamId, clientUserId))
  }

  undoDelete(teamId: TeamId, userId: UserId, deletedAfter: number, at: number) {
    return this.db.write(() => users.restoreUser(this.db, teamId, userId, { deletedAfter, at }))
  }

  connections(userIds: readonly UserId[]) {
    const [userId] = userIds
    return this.db.read(() =>
      userIds.length === 1
        ? this.db.remembered(`connections ${userId}`, () => connectionsOf(this.db, userIds))
        : connectionsOf(this.db, userIds),
    )
  }

  accountTaken(teamId: TeamId, userId: UserId, provider: string, externalUserId: string) {
    return this.db.read(() => accountIsTaken(this.db, teamId, userId, provider, externalUserId))
  }

  write(userId: UserId, write: DataWrite) {
    return this.db.write(() => writeHeld(this.db, userId, write))
  }

  async openSpool() {
    return new ImportSpool(this.db, this.folder.scratch)
  }

  samplePage(userId: UserId, query: SampleQuery, after: SamplePosition | null, limit: number) {
    return this.db.read(() => readPage(this.db, userId, query, after, limit))
  }

  scanSamples(userId: UserId, query: SampleQuery): AsyncIterable<SeriesSlice> {
    return scanAll(this.db, userId, query)
  }

  summaries(userId: UserId, query: SummaryQuery) {
    return this.db.read(() => readSummaries(this.db, userId, query))
  }

  summary(userId: UserId, kind: SummaryKind, id: string) {
    return this.db.read(() => findSummary(this.db, userId, kind, id))
  }

  stream(userId: UserId, workoutId: string) {
    return this.db.read(() => findStream(this.db, userId, workoutId))
  }

  streamIds(userId: UserId) {
    return this.db.read(() => streamIds(this.db, userId))
  }

  usersOfOwnedId(teamId: TeamId, ownedId: string) {
    return this.db.read(() => users.usersOfOwnedId(this.db, teamId, ownedId))
  }

  deleteSamples(userId: UserId, query: SampleQuery, at: number) {
    return this.db.write(() => deleteSamples(this.db, userId, query, at))
  }

  imports(teamId: TeamId, userId: UserId | null, page: ImportPage) {
    return this.db.read(() => listImports(this.db, teamId, userId, page))
  }

  undoImport(userId: UserId, importId: string, at: number) {
    return this.db.write(() => undoImport(this.db, userId, importId, at))
  }

  dueJobs(now: number, userIds: readonly UserId[] | null, limit: number, kind?: DueJob['kind']) {
    return this.db.read(() => dueJobs(this.db, now, userIds, limit, kind))
  }

  purgeUser(userId: UserId, now: number, signal?: AbortSignal) {
    return purgeUser(this.db, userId, now, signal)
  }

  scrub(options: ScrubOptions) {
    removeAbandoned(this.folder.scratch)
    return scrub(this.db, options)
  }

  statistics() {
    return statistics(this.db)
  }

  check(onProgress?: (progress: CheckProgress) => void) {
    return checkStore(this.db, onProgress)
  }

  rewriteUnchecked() {
    return rewriteUnchecked(this.db)
  }
}
