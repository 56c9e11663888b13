/** Synthetic files of records, and the items that an importer yields from them, including the error at the end. */
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DateOrderChoice, ImportContext, Importer } from '../../../src/connectors/files/importer.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { NO_OFFSET, type SummaryRecord, textAt } from '../../../src/core/sample.ts'
import type { StreamRecord } from '../../../src/core/stream.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { expectStated } from '../stated-kinds.ts'
import { importContext } from './import-context.ts'

export interface SampleRead {
  readonly resource: string
  readonly type: string | null
  readonly provider: string
  readonly sourceType: string
  readonly start: string
  readonly end: string
  readonly value: number
  readonly second: number | undefined
  readonly offset: number | null
  readonly text: Readonly<Record<string, string>>
}

export interface RecordsRead {
  readonly samples: readonly SampleRead[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
  /** By reason; `places` contains the first three. */
  readonly skipped: Readonly<Record<string, { readonly count: number; readonly places: readonly string[] }>>
  readonly records: number
  /** How records were read, with their numbers. */
  readonly notices: Readonly<Record<string, number>>
  /** The order of day and month, if the dates have one. */
  readonly dateOrder: DateOrderChoice | undefined
  /** The error that ended the reading early, if any. */
  readonly error: ServiceError | undefined
}

/** Imports content from a separate file. */
export async function readContent(
  importer: Importer,
  content: string | Uint8Array,
  context: Partial<ImportContext> = {},
): Promise<RecordsRead> {
  const path = join(temporaryFolder(), 'file')
  await writeFile(path, content)
  return readFile(importer, path, context)
}

export async function readFile(
  importer: Importer,
  path: string,
  context: Partial<ImportContext> = {},
): Promise<RecordsRead> {
  const samples: SampleRead[] = []
  const summaries: SummaryRecord[] = []
  const streams: StreamRecord[] = []
  const skipped: Record<string, { count: number; places: readonly string[] }> = {}
  const notices: Record<string, number> = {}
  let records = -1
  let dateOrder: DateOrderChoice | undefined
  let error: ServiceError | undefined
  try {
    for await (const item of importer.read({ path, sizeBytes: (await stat(path)).size }, importContext(context))) {
      if (item.kind === 'summary') summaries.push(item.summary)
      else if (item.kind === 'stream') streams.push(item.stream)
      else if (item.kind === 'skipped') skipped[item.reason] = { count: item.count, places: item.places }
      else if (item.kind === 'notice') notices[item.text] = item.count
      else if (item.kind === 'date_order') dateOrder = item.choice
      else if (item.kind === 'end') records = item.records
      else {
        const { batch } = item
        if (context.provider == null && context.sourceType == null)
          expectStated(importer.kinds, [batch], importer.format)
        for (let i = 0; i < batch.n; i++) {
          const text: Record<string, string> = {}
          for (const [name, column] of batch.text) {
            const word = textAt(column, i)
            if (word !== null) text[name] = word
          }
          const offset = batch.offset?.[i] ?? NO_OFFSET
          const { resource, type, provider, sourceType } = batch.series
          samples.push({
            resource,
            type,
            provider,
            sourceType,
            start: new Date(batch.start[i] as number).toISOString(),
            end: new Date((batch.end ?? batch.start)[i] as number).toISOString(),
            value: batch.value[i] as number,
            second: batch.second?.[i],
            offset: offset === NO_OFFSET ? null : offset,
            text,
          })
        }
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    error = thrown
  }
  return { samples, summaries, streams, skipped, notices, records, dateOrder, error }
}

/** Returns the reasons for skipping with their counts. */
export function reasons({ skipped }: RecordsRead): Record<string, number> {
  return Object.fromEntries(Object.entries(skipped).map(([reason, { count }]) => [reason, count]))
}
