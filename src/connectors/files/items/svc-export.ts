/** The importer of what `svc user export` writes: everything about one user, for the same user again or for another one. */
import { ServiceError } from '../../../core/errors.ts'
import type { ImportContext, Importer, ImportFile, ImportItem } from '../importer.ts'

/** A stream of a long day with every column; longer is no export of ours. */
const LINE_LIMIT_BYTES = 256 * 1024 * 1024
const STARTS_EXPORT = /^(?:\u00ef\u00bb\u00bf)?\s*\{\s*"svc_export"\s*:/

/**
 * Lines: one about the user, one a connection (`{"connection":"whoop",…}`), one an item (lines.ts), and the counts. What
 * the user and the connections are is not taken over: a user is made by who owns it, a connection by signing in.
 *
 * Ids stay as they are for the user that the file is of, so that importing it again changes nothing. Another user gets ids of
 * its own, derived from those of the file: the same each time, and the same in samples, summaries and streams.
 */
export const svcExport: Importer = {
  format: 'svc_export',
  title: 'export of a user (data.ndjson of `svc user export`)',
  recognises: head => STARTS_EXPORT.test(Buffer.from(head.subarray(0, 256)).toString('latin1')),
  read,
}

async function* read(file: ImportFile, context: ImportContext): AsyncGenerator<ImportItem> {
  if (context.provider !== null || context.sourceType !== null) {
    const what = 'An export of a user says itself which provider and source type its data are of'
    throw new ServiceError('usage', `${what}; neither can be given beside it.`)
  }
  const [{ fileLines }, { ExportReader }] = await Promise.all([
    import('../bytes/file-lines.ts'),
    import('./svc-export-reader.ts'),
  ])
  const reader = new ExportReader(context)
  for await (const { lines, first, bytesRead } of fileLines(file, { lineBytes: LINE_LIMIT_BYTES }, context.signal)) {
    for (const [i, line] of lines.entries()) yield* reader.line(line, first + i)
    context.onProgress(bytesRead, reader.records)
  }
  yield* reader.finish()
}
