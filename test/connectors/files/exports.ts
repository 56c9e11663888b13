/** Synthetic exports for tests, and the result of importing one. */
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { appleHealth } from '../../../src/connectors/files/apple/apple-health.ts'
import type { ImportContext } from '../../../src/connectors/files/importer.ts'
import { NO_OFFSET, type SampleBatch, type SummaryRecord, textAt } from '../../../src/core/sample.ts'
import type { StreamRecord } from '../../../src/core/stream.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { expectStated } from '../stated-kinds.ts'
import { importContext } from './import-context.ts'

export interface ReadSample {
  readonly resource: string
  readonly type: string | null
  readonly sourceType: string
  readonly start: string
  readonly end: string
  readonly value: number
  readonly second: number | undefined
  readonly offset: number | null
  readonly text: Readonly<Record<string, string>>
}

export interface ReadExport {
  readonly samples: readonly ReadSample[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
  readonly skipped: Readonly<Record<string, number>>
  /** The positions, by the same reasons. */
  readonly places: Readonly<Record<string, readonly string[]>>
  readonly records: number
  /** The error that ended the reading, if the file is damaged and `readDamaged` was used. */
  readonly damage: unknown
}

/** Returns a complete document with these children of the root. */
export function exportXml(children: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData ANY>\n]>
<HealthData locale="en_GB">\n <ExportDate value="2026-01-01 10:00:00 +0100"/>\n <Me HKCharacteristicTypeIdentifierDateOfBirth="1980-01-01"/>
${children}\n</HealthData>\n`
}

/** Returns a record with the attributes that every export has; `more` overrides them. */
export function record(
  type: string,
  value: string,
  unit: string | undefined,
  more: Readonly<Record<string, string>> = {},
): string {
  const all: Record<string, string | undefined> = {
    type,
    sourceName: 'Some App',
    unit,
    creationDate: '2026-01-01 09:00:00 +0100',
    startDate: '2026-01-01 08:00:00 +0100',
    endDate: '2026-01-01 08:05:00 +0100',
    value,
    ...more,
  }
  const attributes = Object.entries(all).flatMap(([name, text]) => (text === undefined ? [] : [`${name}="${text}"`]))
  return `<Record ${attributes.join(' ')}/>`
}

/** Imports a document from a separate file. */
export function importBytes(content: string | Uint8Array, context: Partial<ImportContext> = {}): Promise<ReadExport> {
  return inFile(content, path => importFile(path, context))
}

/** Imports a damaged document. Returns the items before the error; the error is in `damage`. */
export function readDamaged(content: string | Uint8Array): Promise<ReadExport> {
  return inFile(content, path => readAll(path, {}))
}

export async function importFile(path: string, context: Partial<ImportContext> = {}): Promise<ReadExport> {
  const read = await readAll(path, context)
  if (read.damage !== undefined) throw read.damage
  return read
}

async function inFile<T>(content: string | Uint8Array, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(temporaryFolder(), 'file')
  await writeFile(path, content)
  return use(path)
}

async function readAll(path: string, context: Partial<ImportContext>): Promise<ReadExport> {
  const samples: ReadSample[] = []
  const summaries: SummaryRecord[] = []
  const streams: StreamRecord[] = []
  const skipped: Record<string, number> = {}
  const places: Record<string, readonly string[]> = {}
  let records = -1
  let damage: unknown
  try {
    for await (const item of appleHealth.read({ path, sizeBytes: (await stat(path)).size }, importContext(context))) {
      if (item.kind === 'summary') summaries.push(item.summary)
      else if (item.kind === 'stream') streams.push(item.stream)
      else if (item.kind === 'skipped') {
        skipped[item.reason] = (skipped[item.reason] ?? 0) + item.count
        places[item.reason] = item.places
      } else if (item.kind === 'end') records = item.records
      else if (item.kind === 'samples') {
        const { batch } = item
        if (context.provider == null && context.sourceType == null)
          expectStated(appleHealth.kinds, [batch], 'apple_health')
        for (let i = 0; i < batch.n; i++) samples.push(sampleAt(batch, i))
      }
    }
  } catch (error) {
    damage = error
  }
  return { samples, summaries, streams, skipped, places, records, damage }
}

function sampleAt(batch: SampleBatch, i: number): ReadSample {
  const text: Record<string, string> = {}
  for (const [name, column] of batch.text) {
    const value = textAt(column, i)
    if (value !== null) text[name] = value
  }
  const offset = batch.offset?.[i] ?? NO_OFFSET
  return {
    resource: batch.series.resource,
    type: batch.series.type,
    sourceType: batch.series.sourceType,
    start: new Date(batch.start[i] as number).toISOString(),
    end: new Date((batch.end ?? batch.start)[i] as number).toISOString(),
    value: batch.value[i] as number,
    second: batch.second?.[i],
    offset: offset === NO_OFFSET ? null : offset,
    text,
  }
}

/** Returns how many records an import accounts for. This must be all of them. */
export function accounted({ samples, summaries, streams, skipped }: ReadExport): number {
  const kept = summaries.filter(each => each.kind !== 'sleep_cycle').length + streams.length
  return samples.length + kept + Object.values(skipped).reduce((sum, count) => sum + count, 0)
}

export interface ZipPart {
  readonly name: string
  readonly content: string | Uint8Array
  /** The size stated in the headers, if it differs from the truth. */
  readonly statedSize?: number
  readonly statedCrc?: number
  readonly flags?: number
  readonly method?: number
  /** The Unix mode of the entry. */
  readonly mode?: number
}

/** Returns a zip file of these parts, with any false sizes. */
export function buildZip(parts: readonly ZipPart[]): Uint8Array {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const part of parts) {
    const content = Buffer.from(part.content as string)
    const packed = deflateRawSync(content)
    const name = Buffer.from(part.name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(part.flags ?? 0, 2)
    common.writeUInt16LE(part.method ?? 8, 4)
    common.writeUInt32LE(part.statedCrc ?? crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(part.statedSize ?? content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, name, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(((part.mode ?? 0) << 16) >>> 0, 6)
    tail.writeUInt32LE(at, 10)
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, tail, name]))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, directory, end])
}
