/**
 * Tests of features that only the SQLite store has, which a run over PostgreSQL skips and counts by reason, and tests that a run over Citus
 * also skips. A title is the title of a test or a `describe`, or its beginning.
 */

export interface Skipped {
  readonly reason: string
  readonly files?: readonly string[]
  /** Titles in a file whose other tests run over both stores. */
  readonly tests?: Readonly<Record<string, readonly string[]>>
}

/** Paths are relative to the folder `test`. */
export const SQLITE_ONLY: readonly Skipped[] = [
  {
    reason: 'reads or damages rows with a driver of SQLite',
    files: [
      'delivery/hindrances.test.ts',
      'engine/events/traversal.test.ts',
      'engine/idempotency-crash.test.ts',
      'engine/upkeep/purge-of-all.test.ts',
      'store/check.test.ts',
      'store/check-many-users.test.ts',
      'store/logic/accounts.test.ts',
      'store/logic/emptying.test.ts',
      'store/logic/keyed-rows.test.ts',
    ],
    tests: {
      'delivery/exchanges.test.ts': ['is refused if it was changed', 'the files of the store'],
      'delivery/slices.test.ts': ['processes', 'of a user whose row is damaged'],
      'engine/audit/audit.test.ts': ['a change and its entry'],
      'engine/events/retention.test.ts': ['do not wait for an endpoint whose removal was interrupted'],
      'engine/idempotency.test.ts': [
        'never repeat a call that was interrupted',
        'is removed with the user that it is about',
        'is removed when it is a day old',
        'stored responses of schema 5',
      ],
      'engine/quotas.test.ts': ['is reported by a check if wrong'],
      'engine/webhooks/webhooks.test.ts': ['the deliveries of an endpoint'],
      'store/continuous-runs.test.ts': ['the check'],
      'store/orders.test.ts': ['pass the check if intact'],
    },
  },
  {
    reason: 'creates 100,000 users, for which PostgreSQL needs minutes',
    files: ['e2e/console/big-data.test.ts'],
  },
  {
    reason: 'looks for bytes in the files of the data folder',
    files: ['store/purge.test.ts'],
    tests: {
      'store/live/copies.test.ts': ['a purge leaves no row and no byte', 'finishes after it was stopped'],
      'engine/upkeep/jobs.test.ts': ['removes a deleted user once 7 days are over', 'runs overdue work for its users'],
      'server/due-work.test.ts': ['purges when the purge is due'],
    },
  },
  {
    reason: 'saves or restores a snapshot',
    files: ['store/snapshot.test.ts', 'store/snapshot-restore.test.ts'],
    tests: {
      'delivery/sharing.test.ts': ['that is replaced as a whole'],
      'store/live/copies.test.ts': ['a saved snapshot'],
      'engine/events/listing.test.ts': ['following a list across a restore', 'the ID of an event'],
      'server/faults/faults.test.ts': ['closes connections without a response, and in the middle of a body'],
      'server/guards/clock-watch.test.ts': [
        'continues with a store that another process restored',
        'runs a restored store’s due work',
        'responds while it restores and saves over HTTP itself',
      ],
    },
  },
  {
    reason: 'records or replays',
    files: [
      'engine/recordings/recording.test.ts',
      'engine/recordings/recording-any-order.test.ts',
      'engine/live/recording.test.ts',
    ],
    tests: { 'engine/live/links.test.ts': ['are not recorded'] },
  },
  {
    reason: 'salvages a damaged file',
    files: ['store/flips.test.ts', 'store/salvage.test.ts'],
    tests: { 'engine/quotas.test.ts': ['is recomputed by a salvage'] },
  },
  {
    reason: 'opens a data folder of an older version',
    files: [
      'engine/events/old-events.test.ts',
      'store/folder/migration-killed.test.ts',
      'store/folder/schema-copy.test.ts',
      'store/version-4.test.ts',
    ],
    tests: { 'store/continuous-runs.test.ts': ['data-folder-v'] },
  },
  {
    reason: 'has a master key of its own in the data folder',
    tests: {
      'engine/idempotency.test.ts': ['is not repeated if it can no longer be decrypted'],
      'engine/readings/timeseries-pagination.test.ts': ['works after a restart, with the key of the data folder'],
    },
  },
  {
    reason: 'tests a part of the SQLite adapter',
    files: [
      'engine/aggregate-oracle/store.test.ts',
      'store/commit-group.test.ts',
      'store/crash.test.ts',
      'store/logic/statement-catalogue.test.ts',
      'store/logic/user-locks.test.ts',
      'store/remembered.test.ts',
      'store/scratch.test.ts',
      'store/side-thread.test.ts',
      'store/spool.test.ts',
      'store/shared-snapshot.test.ts',
    ],
    tests: { 'store/imports.test.ts': ['larger than one batch has the same result'] },
  },
]

/** Paths are relative to the folder `test`. */
export const NOT_ON_CITUS: readonly Skipped[] = [
  {
    reason: 'exports a snapshot, which shows a single moment',
    files: ['store/copy/export.test.ts'],
    tests: { 'store/live/copies.test.ts': ['a copy of the store'] },
  },
]

/** Files that use no store, or only their own. A run over PostgreSQL or a delayed store leaves them out. */
export const WITHOUT_STORE = [
  'test/commands/store-choice.test.ts',
  'test/delivery/{schedule,sender,signature,target,target-spellings}.test.ts',
  'test/engine/aggregate/!(malformed).test.ts',
  'test/engine/aggregate-oracle/!(store).test.ts',
  'test/engine/readings/page-bytes.test.ts',
  'test/server/bodies/{body-thread,quick-push}.test.ts',
  'test/server/connections/{connections,handshakes}.test.ts',
  'test/server/faults/fault-plan.test.ts',
  'test/server/guards/{disk-watch,guess-limit}.test.ts',
  'test/server/pages/html.test.ts',
  'test/server/threads/*.test.ts',
  'test/store/{chunk,folder}/*.test.ts',
  'test/store/copy/{folders,killed}.test.ts',
  'test/store/postgres/{client-config,connect-errors,password,pool}.test.ts',
]
