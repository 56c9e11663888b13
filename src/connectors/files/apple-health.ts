/** The importer of Apple Health exports: `export.xml`, or the `export.zip` that holds it. */
import { ServiceError } from '../../core/errors.ts'
import { AppleExport, ROOT } from './apple-export.ts'
import { APPLE_PROVIDER } from './apple-source.ts'
import { XmlReader } from './apple-xml.ts'
import { fileHead, filePieces, type Piece } from './file-pieces.ts'
import type { ImportContext, Importer, ImportFile, ImportItem } from './importer.ts'
import { isZip, zipEntryPieces } from './zip-entry.ts'

const HEAD_BYTES = 4096
const PROGRESS_BYTES = 1_048_576

/** What may stand before the first tag that tells: byte order mark, white space, the XML declaration, comments. */
const PREAMBLE = /^(?:\u00ef\u00bb\u00bf)?(?:\s+|<\?[^>]*\?>|<!--(?:(?!-->)[\s\S])*-->)*/
const STARTS_EXPORT = new RegExp(`^<(?:!DOCTYPE\\s+)?${ROOT}[\\s>/[]`)

/**
 * Reads an export in one pass and bounded memory: the segments of sleep and half readings of blood pressure are what it keeps
 * to the end. See `AppleExport` for what each element becomes and how records are counted.
 */
export const appleHealth: Importer = {
  format: 'apple_health',
  title: 'Apple Health export (export.xml or export.zip)',
  provider: APPLE_PROVIDER,
  recognises: head => isZip(head) || startsExport(head),
  read,
}

/** Whether a head is that of an export.xml, under whatever name it has. */
function startsExport(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  return STARTS_EXPORT.test(text.slice(PREAMBLE.exec(text)?.[0].length))
}

async function* read(file: ImportFile, context: ImportContext): AsyncGenerator<ImportItem> {
  const content = new AppleExport(context)
  const reader = new XmlReader(content)
  let reportedBytes = 0
  for await (const { bytes, bytesRead } of await piecesOf(file, context.signal)) {
    reader.write(bytes)
    yield* content.take()
    if (bytesRead - reportedBytes < PROGRESS_BYTES) continue
    reportedBytes = bytesRead
    context.onProgress(bytesRead, content.records)
  }
  reader.end()
  context.onProgress(file.sizeBytes, content.records)
  yield* content.finish()
}

async function piecesOf(file: ImportFile, signal: AbortSignal | undefined): Promise<AsyncGenerator<Piece>> {
  const head = await fileHead(file.path, HEAD_BYTES)
  if (head.length === 0)
    throw new ServiceError('invalid_file', 'The file is empty: an Apple Health export is an export.xml or export.zip.')
  if (!isZip(head)) return filePieces(file, signal)
  return zipEntryPieces(file.path, '.xml', 'Apple Health export (an XML file with <HealthData>)', startsExport, signal)
}
