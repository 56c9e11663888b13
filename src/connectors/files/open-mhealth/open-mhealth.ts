/** Importer of Open mHealth data points: one, a list, or one per line. */

import { headText } from '../bytes/text-encoding.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import { jsonRecords } from '../json/records.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import { OpenMhealthPoints } from './point.ts'

/** Each data point is a record. schemas.ts says which schemas are stored, and as what. */
export const openMhealth = recordImporter({
  format: 'open_mhealth',
  title: 'Open mHealth data points (JSON or NDJSON)',
  recognises(head) {
    const text = headText(head)
    // header and body may come in either order and be long, so either one identifies the format
    if (text === undefined || !/^\s*[{[]/.test(text)) return false
    return /"schema_id"\s*:\s*\{/.test(text) || /"effective_time_frame"\s*:/.test(text)
  },
  steps,
})

async function* steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const points = new OpenMhealthPoints(importing)
  for await (const { records, bytesRead } of jsonRecords(file, null, context.signal)) {
    for (const record of records) {
      if (record.kind === 'broken') {
        importing.records++
        importing.skip('a data point is not well-formed JSON', record.place)
      } else points.add(record.value, record.place)
    }
    yield bytesRead
  }
}
