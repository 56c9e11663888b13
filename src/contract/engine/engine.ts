/** Our own operations that look after the store: its figures, its check, and the work that is due (design 9). */
import { z } from 'zod'
import { flag } from '../kernel/primitives.ts'

const count = (description: string) => z.number().int().meta({ description })

/** Figures of the whole store, every team's. */
export const engineStatus = () =>
  z
    .object({
      users: count('Active users'),
      deleted_users: count('Deleted users that are not purged yet'),
      series: count('Number of series: user, resource, provider and source type'),
      samples: z.number().int(),
      chunks: count('Number of sample chunks'),
      bytes_per_sample: z.number().nullable().meta({ description: 'Chunk bytes per sample; null without samples' }),
      summaries: z.number().int(),
      streams: count('Workout streams'),
      events: count('Number of events in the outbox'),
      continuous_queries: z.number().int(),
      result_rows: count('Number of result rows of continuous queries'),
      due_jobs: count('Number of jobs that are due, at most 1000'),
      file_bytes: count('Size of the database file in bytes'),
      wal_bytes: count('Size of the write-ahead log in bytes'),
      schema_version: z.number().int(),
      epoch: count('Number of times the store was restored or emptied'),
    })
    .meta({ id: 'EngineStatus' })

export const checkQuery = () =>
  z.object({
    rewrite: flag()
      .default(false)
      .meta({ description: 'Also give a checksum to each sound row that was written before there were checksums' }),
  })

/** What a check found. `problems` are the first 1,000. */
export const checkReport = () =>
  z
    .object({
      ok: z.boolean(),
      chunks: z.number().int(),
      samples: z.number().int(),
      problem_count: z.number().int(),
      rewritten: z.number().int().meta({ description: 'Rows that got a checksum' }),
      problems: z.array(
        z.object({
          what: z.string().meta({
            description:
              'database, user, connection, series, chunk, outbox, delivery, summary, stream, import, order, continuous_query, user_info, insurance, device, pull or person',
          }),
          user_id: z.string().nullable(),
          message: z.string(),
        }),
      ),
    })
    .meta({ id: 'CheckReport' })

/** A database file: a data folder's `svc.db`, without the master key. */
export const SNAPSHOT_MEDIA_TYPE = 'application/vnd.sqlite3'
/** There is no answer in JSON. */
export const snapshot = () => z.never()

/** What was run, and what stays due. */
export const dueReport = () =>
  z
    .object({
      ran: z.array(z.object({ kind: z.string(), count: z.number().int() })),
      left: z.array(z.object({ kind: z.string(), reason: z.string() })),
    })
    .meta({ id: 'DueReport' })
