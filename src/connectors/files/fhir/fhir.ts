/** Importer of FHIR R4 observations, on their own or in bundles, lists and NDJSON. */

import { headText } from '../bytes/text-encoding.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import { member } from '../json/fields.ts'
import { jsonRecords } from '../json/records.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import { FhirObservations } from './observation.ts'

const RESOURCE = /"resourceType"\s*:\s*"[A-Z]/

/**
 * Each entry of a bundle and each resource in a list or line is a record; the bundle itself is not. Observations whose code belongs to a
 * timeseries (src/catalogue/labs/observation-codes.ts) are stored. Everything else is skipped under its name.
 */
export const fhir = recordImporter({
  format: 'fhir',
  title: 'FHIR R4 observations (JSON or NDJSON)',
  recognises(head) {
    const text = headText(head)
    return text !== undefined && /^\s*[{[]/.test(text) && RESOURCE.test(text)
  },
  steps,
})

async function* steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const observations = new FhirObservations(importing)
  for await (const { records, bytesRead } of jsonRecords(file, 'entry', context.signal)) {
    for (const record of records) {
      if (record.kind === 'broken') {
        importing.records++
        importing.skip('a resource is not well-formed JSON', record.place)
      } else observations.add(record.kind === 'element' ? member(record.value, 'resource') : record.value, record.place)
    }
    yield bytesRead
  }
  observations.finish()
}
