/** Importer for plain items, one per line: the same items as in a push, in a file of any size. */
import { recordImporter } from '../records/import.ts'

/** Maximum length of a line, enough for a long day's stream with every column. */
const LINE_LIMIT_BYTES = 64 * 1024 * 1024
const STARTS_ITEMS = /^(?:\u00ef\u00bb\u00bf)?\s*\{\s*"(?:resource|summary|stream)"\s*:\s*"/

/**
 * Reads the same lines under the same rules as `POST /svc/v1/users/{user_id}/samples`, except that an invalid line is skipped and counted,
 * as in every import. Items without a provider or source type use the caller's.
 */
export const itemFile = recordImporter({
  format: 'svc_items',
  title: 'NDJSON of samples, summaries and streams, as an application pushes them',
  kinds: null,
  recognizes: head => STARTS_ITEMS.test(Buffer.from(head.subarray(0, 256)).toString('latin1')),
  async *steps(file, context, importing) {
    const [{ addItem, takenLines }, { pushReading, sourceProblem }] = await Promise.all([
      import('./intake.ts'),
      import('./source.ts'),
    ])
    const reading = pushReading(context.userId, context.timeZone, context)
    yield* takenLines(file, LINE_LIMIT_BYTES, context.signal, (value, line) =>
      addItem(importing, value, line, reading, item => sourceProblem(item, context.providers)),
    )
  },
})
