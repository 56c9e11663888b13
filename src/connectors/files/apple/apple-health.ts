/** Importer of Apple Health exports: `export.xml`, or the `export.zip` that contains it. */
import { ServiceError } from '../../../core/errors.ts'
import { fileHead, filePieces, type Piece } from '../bytes/file-pieces.ts'
import { isZip, ZipArchive } from '../bytes/zip-entry.ts'
import type { ImportContext, Importer, ImportFile, ImportItem } from '../importer.ts'
import { XmlReader } from '../xml/reader.ts'
import { AppleExport, ROOT } from './export.ts'
import { routedWorkouts } from './route.ts'

const HEAD_BYTES = 4096
/** Progress is reported each time this many bytes are read, or a hundredth of the file if that is less. */
const PROGRESS_BYTES = 4 * 1_048_576

/** What may precede the first tag: byte order mark, white space, the XML declaration, comments. */
const PREAMBLE = /^(?:\u00ef\u00bb\u00bf)?(?:\s+|<\?[^>]*\?>|<!--(?:(?!-->)[\s\S])*-->)*/
const STARTS_EXPORT = new RegExp(`^<(?:!DOCTYPE\\s+)?${ROOT}[\\s>/[]`)

/**
 * Reads an export in one pass with bounded memory: only sleep segments and unpaired blood pressure values are kept until the end. See
 * `AppleExport` for what each element becomes and how records are counted.
 */
export const appleHealth: Importer = {
  format: 'apple_health',
  title: 'Apple Health export (export.xml or export.zip)',
  recognises: head => isZip(head) || startsExport(head),
  read,
}

/** Returns whether the first bytes are those of an export.xml, whatever the file is called. */
function startsExport(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  return STARTS_EXPORT.test(text.slice(PREAMBLE.exec(text)?.[0].length))
}

async function* read(file: ImportFile, context: ImportContext): AsyncGenerator<ImportItem> {
  const head = await fileHead(file.path, HEAD_BYTES)
  if (head.length === 0)
    throw new ServiceError(
      'invalid_file',
      'The file is empty. An Apple Health export is an export.xml or export.zip file. Export the data again and import that file.',
    )
  if (isZip(head)) yield* readZip(file, context)
  else {
    const content = new AppleExport(context, false)
    yield* readExport(filePieces(file, context.signal), content, file, context)
    yield* content.finish()
  }
}

async function* readZip(file: ImportFile, context: ImportContext): AsyncGenerator<ImportItem> {
  const zip = await ZipArchive.open(file.path, context.signal)
  try {
    const found = await zip.find('.xml', 'Apple Health export (an XML file with <HealthData>)', startsExport)
    const folder = found.name.slice(0, found.name.lastIndexOf('/') + 1)
    const content = new AppleExport(context, true)
    yield* readExport(found.pieces, content, file, context)
    const routeFile = (path: string) => zip.pieces(folder + path.replace(/^\//, ''))
    yield* keepingWhatCame(content, routedWorkouts(content, routeFile, context.now))
    yield* content.finish()
  } finally {
    zip.close()
  }
}

/** Yields everything of an export except what `finish` yields. */
async function* readExport(
  pieces: AsyncIterable<Piece>,
  content: AppleExport,
  file: ImportFile,
  context: ImportContext,
): AsyncGenerator<ImportItem> {
  yield* keepingWhatCame(content, parsed(pieces, content, file, context))
  context.onProgress(file.sizeBytes, content.records)
}

async function* parsed(
  pieces: AsyncIterable<Piece>,
  content: AppleExport,
  file: ImportFile,
  context: ImportContext,
): AsyncGenerator<ImportItem> {
  const reader = new XmlReader(content)
  const stepBytes = Math.min(PROGRESS_BYTES, file.sizeBytes / 100)
  let reportedBytes = 0
  for await (const { bytes, bytesRead } of pieces) {
    reader.write(bytes)
    yield* content.take()
    if (bytesRead - reportedBytes < stepBytes) continue
    reportedBytes = bytesRead
    context.onProgress(bytesRead, content.records)
  }
  reader.end()
}

/** Passes items on. If the file turns out to be damaged, yields what came before the damage, then throws the error. */
async function* keepingWhatCame(content: AppleExport, items: AsyncIterable<ImportItem>): AsyncGenerator<ImportItem> {
  try {
    yield* items
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
    content.cutOff()
    yield* content.finish()
    throw error
  }
}
