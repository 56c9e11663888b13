/** Reads an activity file and returns the items of the import, in a form that tests can inspect. */
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportContext, Importer } from '../../../src/connectors/files/importer.ts'
import { NO_OFFSET, type SummaryRecord, type TextColumn, textAt } from '../../../src/core/sample.ts'
import type { StreamColumn, StreamRecord } from '../../../src/core/stream.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { expectStated } from '../stated-kinds.ts'
import { importContext } from './import-context.ts'

/** The folder of published samples, next to the project. */
export const SAMPLES = join(import.meta.dirname, '../../fixtures/samples')

export interface ReadSample {
  readonly resource: string
  readonly type: string | null
  readonly provider: string
  readonly sourceType: string
  readonly start: number
  readonly end: number
  readonly value: number
  readonly second: number | undefined
  readonly offset: number | null
  readonly text: Readonly<Partial<Record<TextColumn, string>>>
}

export interface ReadActivities {
  readonly samples: ReadSample[]
  readonly summaries: SummaryRecord[]
  readonly streams: StreamRecord[]
  readonly skipped: Record<string, number>
  readonly places: Record<string, readonly string[]>
  records: number
  /** The error that the importer threw at the end, if any. */
  error: unknown
}

export async function importBytes(
  importer: Importer,
  content: string | Uint8Array,
  context: Partial<ImportContext> = {},
): Promise<ReadActivities> {
  const path = join(temporaryFolder(), 'file')
  await writeFile(path, content)
  return importFile(importer, path, context)
}

export async function importFile(
  importer: Importer,
  path: string,
  context: Partial<ImportContext> = {},
): Promise<ReadActivities> {
  const read: ReadActivities = {
    samples: [],
    summaries: [],
    streams: [],
    skipped: {},
    places: {},
    records: -1,
    error: undefined,
  }
  try {
    for await (const item of importer.read({ path, sizeBytes: (await stat(path)).size }, importContext(context))) {
      if (item.kind === 'summary') read.summaries.push(item.summary)
      else if (item.kind === 'stream') read.streams.push(item.stream)
      else if (item.kind === 'end') read.records = item.records
      else if (item.kind === 'date_order') throw new Error('activities have no dates that could be read in two orders')
      else if (item.kind === 'notice') throw new Error('activities are read in only one way')
      else if (item.kind === 'skipped') {
        read.skipped[item.reason] = (read.skipped[item.reason] ?? 0) + item.count
        read.places[item.reason] = item.places
      } else {
        const { batch } = item
        if (context.provider == null && context.sourceType == null)
          expectStated(importer.kinds, [batch], importer.format)
        for (let i = 0; i < batch.n; i++) {
          const text: Partial<Record<TextColumn, string>> = {}
          for (const [name, column] of batch.text) {
            const value = textAt(column, i)
            if (value !== null) text[name] = value
          }
          const offset = batch.offset?.[i] ?? NO_OFFSET
          const start = batch.start[i] as number
          read.samples.push({
            ...batch.series,
            start,
            end: batch.end?.[i] ?? start,
            value: batch.value[i] as number,
            second: batch.second?.[i],
            offset: offset === NO_OFFSET ? null : offset,
            text,
          })
        }
      }
    }
  } catch (error) {
    read.error = error
  }
  return read
}

/** Returns the samples of one resource as `[start, end, value]`, with times in seconds since `from`. */
export function listValues(read: ReadActivities, resource: string, from = 0): number[][] {
  return read.samples
    .filter(each => each.resource === resource)
    .map(each => [(each.start - from) / 1000, (each.end - from) / 1000, each.value])
}

/** Returns a column of a stream, with null for points without a value. */
export function listColumn(stream: StreamRecord | undefined, name: StreamColumn): (number | null)[] | undefined {
  const column = stream?.columns.get(name)
  return column && Array.from(column, value => (Number.isNaN(value) ? null : value))
}
