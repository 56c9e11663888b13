/** Importer for the output of `svc user export`: everything about one user, for the same user or for another one. */
import { ServiceError } from '../../../core/errors.ts'
import { recordImporter } from '../records/import.ts'

/** Maximum length of a line, enough for a long day's stream with every column. No export has longer lines. */
const LINE_LIMIT_BYTES = 256 * 1024 * 1024
const STARTS_EXPORT = /^(?:\u00ef\u00bb\u00bf)?\s*\{\s*"svc_export"\s*:/

/**
 * The file contains one line about the user, one per connection (`{"connection":"whoop",…}`), one per item (see lines.ts), and a line with
 * the counts. The data about the user and its connections is not imported, because a user is created by its team, and a connection by
 * signing in.
 *
 * If the file is imported for its own user, IDs stay unchanged, so importing it again changes nothing. Another user has its own IDs. They
 * are derived from the IDs in the file, so they are always the same, and consistent across samples, summaries and streams.
 */
export const svcExport = recordImporter({
  format: 'svc_export',
  title: 'user export (data.ndjson of `svc user export`)',
  kinds: null,
  recognizes: head => STARTS_EXPORT.test(Buffer.from(head.subarray(0, 256)).toString('latin1')),
  async *steps(file, context, importing) {
    if (context.provider !== null || context.sourceType !== null) {
      const what = 'A user export states the provider and the source type of its data'
      throw new ServiceError('usage', `${what}, so you cannot set them. Leave out the provider and the source type.`)
    }
    const [{ takenLines }, { ExportReader }] = await Promise.all([
      import('./intake.ts'),
      import('./svc-export-reader.ts'),
    ])
    const reader = new ExportReader(importing)
    yield* takenLines(file, LINE_LIMIT_BYTES, context.signal, (value, line) => reader.take(value, line))
    reader.end()
  },
})
