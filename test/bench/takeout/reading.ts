/** Reads an archive without storing it, or only parses its parts: `node reading.mjs parse|import FORMAT FILE`. Prints the number of records. */
import { statSync } from 'node:fs'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { ZipArchive } from '../../../src/connectors/files/bytes/zip-entry.ts'
import { CsvParser } from '../../../src/connectors/files/csv/reader.ts'
import { IMPORTERS } from '../../../src/connectors/files/formats.ts'
import type { UserId } from '../../../src/core/ids.ts'

const [what, format, path = ''] = process.argv.slice(2)

/** Parses lists with JSON.parse, and tables with the project's reader. */
async function parse(): Promise<number> {
  const zip = await ZipArchive.open(path, undefined)
  let records = 0
  for (const name of zip.names) {
    const chunks: Buffer[] = []
    const table = new CsvParser(',')
    for await (const { bytes } of zip.pieces(name) ?? []) {
      if (name.endsWith('.json')) chunks.push(Buffer.from(bytes))
      else table.write(bytes)
      records += table.take().length
    }
    if (chunks.length > 0) records += (JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown[]).length
  }
  zip.close()
  return records
}

async function read(): Promise<number> {
  const importer = IMPORTERS.find(each => each.format === format)
  const context = {
    userId: '0f0e0d0c-0b0a-4000-8000-000000000001' as UserId, // any ID
    providers: SHIPPED_REGISTRY,
    ...{ timeZone: null, signal: undefined, provider: null, sourceType: null, dateOrder: null, mapping: null },
    now: Date.now(),
    onProgress: () => {},
    documentProblem: () => undefined,
    scratchFile: () => `${path}.scratch`,
  }
  let records = 0
  for await (const item of importer?.read({ path, sizeBytes: statSync(path).size }, context) ?? []) {
    if (item.kind === 'end') records = item.records
  }
  return records
}

console.log(what === 'parse' ? await parse() : await read())
