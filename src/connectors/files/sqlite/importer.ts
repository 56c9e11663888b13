/** Creates the importer for a format that is a SQLite database, or a zip file that contains one. */
import { rm } from 'node:fs/promises'
import type { Importer } from '../importer.ts'
import { type RecordImport, type RecordSource, recordImporter } from '../records/import.ts'
import { copyDatabase, isDatabase } from './private-copy.ts'
import { DatabaseReader, refused } from './reader.ts'

interface DatabaseFormat extends Pick<Importer, 'format' | 'title' | 'kinds'> {
  readonly source?: RecordSource
  /** Returns whether this is the name of the database in a zip file. */
  isEntry(name: string): boolean
  /** Returns whether a database with these tables has the format. */
  hasTables(tables: readonly string[]): boolean
  /** Adds the records. Yields after each part, with the share that has been read, from 0 to 1. */
  read(reader: DatabaseReader, importing: RecordImport): AsyncIterable<number>
}

/** The share of the progress that copying the database takes. */
const COPY_SHARE = 0.3

/** Returns the importer. It reads a private copy of the database, in a process of its own. */
export function databaseImporter({ isEntry, hasTables, read, ...format }: DatabaseFormat): Importer {
  return recordImporter({
    ...format,
    isWhole: true,
    recognizes: isDatabase,
    recognizesArchive: names => names.some(isEntry),
    recognizesDatabase: hasTables,
    async *steps(file, context, importing) {
      const copy = context.scratchFile()
      for await (const bytesRead of copyDatabase(file, copy, isEntry, context)) yield bytesRead * COPY_SHARE
      const reader = await DatabaseReader.open(copy, context.signal)
      try {
        if (!hasTables(reader.tables)) throw refused(`does not have the tables of the format ${format.format}`)
        for await (const share of read(reader, importing))
          yield file.sizeBytes * (COPY_SHARE + share * (1 - COPY_SHARE))
      } finally {
        await reader.close()
        await rm(copy, { force: true })
      }
    },
  })
}
