/** Schemas of the operator operations that maintain the store: figures, checks and due work. */
import * as z from 'zod'
import { component, flag } from '../kernel/primitives.ts'

const count = (description: string) => z.int().meta({ description })

const citus = () =>
  z.object({
    version: z.string(),
    nodes: z.array(
      z.object({
        role: z.enum(['coordinator', 'worker']),
        active: z.boolean().meta({ description: 'Whether the node takes part in queries' }),
        shards: count('Number of shards on the node, including one for each reference table'),
      }),
    ),
  })

/** Figures about the whole store, across all teams. */
export const engineStatus = () =>
  component('EngineStatus', {
    users: count('Number of active users'),
    deleted_users: count('Number of deleted users that are not yet purged'),
    series: count('Number of series (unique combinations of user, resource, provider and source type)'),
    samples: z.int(),
    chunks: count('Number of sample chunks'),
    bytes_per_sample: z
      .number()
      .nullable()
      .meta({ description: 'Chunk bytes per sample; null if there are no samples' }),
    summaries: z.int(),
    streams: count('Number of workout streams'),
    events: count('Number of events in the outbox'),
    continuous_queries: z.int(),
    result_rows: count('Number of result rows of continuous queries'),
    due_jobs: count('Number of due jobs; counting stops at 1000'),
    file_bytes: count('Size of the database file in bytes; null for a PostgreSQL store').nullable(),
    wal_bytes: count('Size of the write-ahead log in bytes; null for a PostgreSQL store').nullable(),
    server_version: z
      .string()
      .nullable()
      .meta({ description: 'Version of the PostgreSQL server; null for a SQLite store' }),
    citus: citus().nullable().meta({ description: 'The Citus cluster; null without Citus' }),
    schema_version: z.int(),
    epoch: count('Number of times the store was restored or emptied'),
  })

export const checkQuery = () =>
  z.object({
    rewrite: flag()
      .default(false)
      .meta({ description: 'Also add checksums to intact rows that were written before checksums existed' }),
  })

/** A check's findings. `problems` contains the first 1,000. */
export const checkReport = () =>
  component('CheckReport', {
    ok: z.boolean(),
    chunks: z.int(),
    samples: z.int(),
    problem_count: z.int(),
    rewritten: z.int().meta({ description: 'Number of rows that received a checksum' }),
    problems: z.array(
      z.object({
        what: z.string().meta({
          description:
            'Kind of row: database, user, connection, series, chunk, outbox, delivery, summary, stream, import, order, continuous_query, user_info, insurance, device, pull or person',
        }),
        user_id: z.string().nullable(),
        message: z.string(),
      }),
    ),
  })

/** A database file: a data folder's `svc.db`, without the master key. */
export const SNAPSHOT_MEDIA_TYPE = 'application/vnd.sqlite3'
/** Never returned as JSON. */
export const snapshot = () => z.never()

/** Jobs that ran, and jobs that are still due. */
export const dueReport = () =>
  component('DueReport', {
    ran: z.array(z.object({ kind: z.string(), count: z.int() })),
    left: z.array(z.object({ kind: z.string(), reason: z.string() })),
  })
