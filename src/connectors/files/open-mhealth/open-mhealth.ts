/** Importer for Open mHealth data points: a single point, a list, or one per line. */
import { headText } from '../bytes/text-encoding.ts'
import { jsonSteps } from '../json/records.ts'
import { recordImporter } from '../records/import.ts'
import { kindsOfRules } from '../records/kinds.ts'
import { OpenMhealthPoints } from './point.ts'
import { OPEN_MHEALTH_RULES, type OpenMhealthRule, SENSOR_LOCATIONS } from './schemas.ts'

/** The importer. Each data point is a record. The schemas in schemas.ts are stored. */
export const openMhealth = recordImporter({
  format: 'open_mhealth',
  title: 'Open mHealth data points (JSON or NDJSON)',
  kinds: kindsOfRules([...OPEN_MHEALTH_RULES.values()].flatMap(measured)),
  recognizes(head) {
    const text = headText(head)
    // header and body may be in either order and may be long, so either one identifies the format
    if (text === undefined || !/^\s*[{[]/.test(text)) return false
    return /"schema_id"\s*:\s*\{/.test(text) || /"effective_time_frame"\s*:/.test(text)
  },
  steps(file, _context, importing) {
    const points = new OpenMhealthPoints(importing)
    const add = ({ value, position }: { readonly value: unknown; readonly position: string }) =>
      points.add(value, position)
    return jsonSteps(file, importing, { list: null, what: 'a data point', add })
  },
})

/** Returns a rule's samples: without a body part, and with each one that a point can have. */
function measured({ resource, location }: OpenMhealthRule) {
  const texts = location === undefined ? [] : [...SENSOR_LOCATIONS.values()].map(part => ({ [location]: part }))
  return [{ resource }, ...texts.map(text => ({ resource, text }))]
}
