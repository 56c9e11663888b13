/** Importer for Apple Health exports: `export.xml`, or the `export.zip` that contains it. */
import { ServiceError } from '../../../core/errors.ts'
import { fileHead, filePieces, type Piece } from '../bytes/file-pieces.ts'
import { isZip, ZipArchive } from '../bytes/zip-entry.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import { kindsOfRules } from '../records/kinds.ts'
import { XmlReader } from '../xml/reader.ts'
import { electrocardiograms } from './electrocardiograms.ts'
import { AppleExport, ROOT } from './export.ts'
import { routedWorkouts } from './route.ts'
import { APPLE_PROVIDER } from './source.ts'
import { RECORD_RULES } from './types.ts'

const HEAD_BYTES = 4096

/** Matches text that may precede the first tag: byte order mark, white space, the XML declaration, comments. */
const PREAMBLE = /^(?:\u00ef\u00bb\u00bf)?(?:\s+|<\?[^>]*\?>|<!--(?:(?!-->)[\s\S])*-->)*/
const STARTS_EXPORT = new RegExp(`^<(?:!DOCTYPE\\s+)?${ROOT}[\\s>/[]`)

/**
 * Reads an export in one pass with bounded memory: only sleep segments, days, values for summaries of days and nights, and unpaired blood
 * pressure values are kept until the end, each up to a limit. See
 * `AppleExport` for how elements are mapped and records are counted.
 */
export const appleHealth = recordImporter({
  format: 'apple_health',
  title: 'Apple Health export (export.xml or export.zip)',
  kinds: kindsOfRules(RECORD_RULES.values()),
  recognizes: head => isZip(head) || startsExport(head),
  source: { provider: APPLE_PROVIDER, sourceType: 'unknown' },
  async *steps(file, context, importing) {
    const head = await fileHead(file.path, HEAD_BYTES)
    if (head.length === 0)
      throw new ServiceError(
        'invalid_file',
        'The file is empty. An Apple Health export is an export.xml or export.zip file. Export the data again and import that file.',
      )
    if (isZip(head)) yield* zipSteps(file, context, importing)
    else {
      const content = new AppleExport(importing, false)
      yield* settled(content, xmlSteps(filePieces(file, context.signal), content))
    }
  },
})

/** Returns whether these are the first bytes of an export.xml, regardless of the file name. */
function startsExport(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  return STARTS_EXPORT.test(text.slice(PREAMBLE.exec(text)?.[0].length))
}

async function* zipSteps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const zip = await ZipArchive.open(file.path, context.signal)
  try {
    const found = await zip.find('.xml', 'Apple Health export (an XML file with <HealthData>)', startsExport)
    const folder = found.name.slice(0, found.name.lastIndexOf('/') + 1)
    const content = new AppleExport(importing, true)
    const routeFile = (path: string) => zip.pieces(folder + path.replace(/^\//, ''))
    const steps = async function* (): AsyncGenerator<number> {
      yield* xmlSteps(found.pieces, content)
      for await (const _ of routedWorkouts(content, routeFile)) yield file.sizeBytes
      // the folder's name is in the phone's language
      const recordings = zip.namesBelow(folder, '.csv').flatMap(name => zip.pieces(name) ?? [])
      for await (const _ of electrocardiograms(importing, recordings)) yield file.sizeBytes
    }
    yield* settled(content, steps())
  } finally {
    zip.close()
  }
}

async function* xmlSteps(pieces: AsyncIterable<Piece>, content: AppleExport): AsyncGenerator<number> {
  const reader = new XmlReader(content)
  for await (const { bytes, bytesRead } of pieces) {
    reader.write(bytes)
    yield bytesRead
  }
  reader.end()
}

/**
 * Passes on the steps and completes the content. Does so even if the file is damaged, because the content before the damage can be kept.
 */
async function* settled(content: AppleExport, steps: AsyncIterable<number>): AsyncGenerator<number> {
  try {
    yield* steps
  } catch (error) {
    content.cutOff()
    content.finish()
    throw error
  }
  content.finish()
}
