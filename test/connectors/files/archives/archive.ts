/** Builds archives of providers, and checks that an import accounts for every record of one. */
import { expect } from 'vitest'
import type { ImportContext, Importer } from '../../../../src/connectors/files/importer.ts'
import { buildZip } from '../exports.ts'
import { type RecordsRead, readContent } from '../record-files.ts'

/** The parts of an archive by path. Lists and objects become JSON. */
export type Parts = Readonly<Record<string, string | Uint8Array | object>>

/** Returns a zip file with these parts. */
export function zipOf(parts: Parts): Uint8Array {
  return buildZip(
    Object.entries(parts).map(([name, content]) => ({
      name,
      content: typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
    })),
  )
}

/** Returns a table with these columns and rows. */
export function csv(header: string, ...rows: readonly string[]): string {
  return `${[header, ...rows].join('\n')}\n`
}

/**
 * Imports an archive. Fails if it cannot be read, or if the counts do not add up. Activity files count their records in their own way:
 * `hasActivityFiles` leaves that out.
 */
export async function readArchive(
  importer: Importer,
  parts: Parts,
  context: Partial<ImportContext> = {},
  hasActivityFiles = false,
): Promise<RecordsRead> {
  const read = await readContent(importer, zipOf(parts), context)
  expect(read.error).toBeUndefined()
  if (!hasActivityFiles) expectCounted(read)
  return read
}

/** Every record is stored as a sample, a summary or a stream, or skipped with a reason. */
export function expectCounted({ samples, summaries, streams, skipped, records }: RecordsRead): void {
  const stored = samples.length + summaries.filter(({ kind }) => kind !== 'sleep_cycle').length + streams.length
  const left = Object.values(skipped).reduce((sum, { count }) => sum + count, 0)
  expect(records).toBe(stored + left)
}
