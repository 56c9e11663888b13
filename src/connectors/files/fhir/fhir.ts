/** Importer for FHIR R4 observations: single ones, or in bundles, lists and NDJSON. */
import { OBSERVATION_CODES } from '../../../catalogue/labs/observation-codes.ts'
import { member } from '../../shared/json-fields.ts'
import { headText } from '../bytes/text-encoding.ts'
import { jsonSteps } from '../json/records.ts'
import { recordImporter } from '../records/import.ts'
import { kindsOfRules } from '../records/kinds.ts'
import { FhirObservations } from './observation.ts'

const RESOURCE = /"resourceType"\s*:\s*"[A-Z]/

/**
 * The importer. Each entry of a bundle and each resource in a list or line is a record; the bundle itself is not. Observations whose code
 * belongs to a timeseries (src/catalogue/labs/observation-codes.ts) are stored. All other resources are skipped, and their names are
 * reported.
 */
export const fhir = recordImporter({
  format: 'fhir',
  title: 'FHIR R4 observations (JSON or NDJSON)',
  kinds: kindsOfRules(OBSERVATION_CODES.values()),
  recognizes(head) {
    const text = headText(head)
    return text !== undefined && /^\s*[{[]/.test(text) && RESOURCE.test(text)
  },
  async *steps(file, _context, importing) {
    const observations = new FhirObservations(importing)
    yield* jsonSteps(file, importing, {
      list: 'entry',
      what: 'a resource',
      add: ({ kind, value, position }) =>
        observations.add(kind === 'element' ? member(value, 'resource') : value, position),
    })
    observations.finish()
  },
})
