/** Importer for Health Auto Export JSON, which contains workouts, and metrics with lists of readings. */

import { asText } from '../../shared/json-fields.ts'
import { parsedPieces } from '../bytes/parsed-pieces.ts'
import { headText } from '../bytes/text-encoding.ts'
import { firstPass } from '../first-pass.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import { type JsonEvent, JsonItems } from '../json/items.ts'
import { emptyJson } from '../json/records.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import { kindsOfRules } from '../records/kinds.ts'
import { HealthMetrics, type Metric } from './metrics.ts'
import { METRIC_RULES } from './types.ts'
import { HealthWorkouts } from './workouts.ts'

const HEAD =
  /^\s*\{\s*"data"\s*:\s*\{\s*"(?:metrics|workouts|ecg|symptoms|stateOfMind|cycleTracking|medications|heartRateNotifications)"\s*:/

/** Paths that are read element by element: the lists inside `data`, and the readings of each metric. */
const CONTAINERS = ['data.*', 'data.metrics.*.data']
/** Depth of a metric's name and units, counting the document, `data`, `metrics` and the metric. */
const IN_METRIC = 4
/** Maximum number of metrics. There are about 150 metrics; a hostile file must not exhaust memory with names. */
const MOST_METRICS = 10_000

/**
 * The importer. Each reading of a metric, each workout, and each element of any other list is a record. A metric's name and units may come
 * after its readings, so a first pass collects them.
 */
export const healthAutoExport = recordImporter({
  format: 'health_auto_export',
  title: 'Health Auto Export (JSON)',
  kinds: kindsOfRules(METRIC_RULES.values()),
  recognizes: head => HEAD.test(headText(head) ?? ''),
  steps,
})

async function* steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const metrics = new HealthMetrics(importing, await readNames(file, context))
  const workouts = new HealthWorkouts(importing)
  const pieces = parsedPieces(file, context.signal, () => new JsonItems(CONTAINERS), emptyJson)
  try {
    for await (const { items, bytesRead } of pieces) {
      for (const event of items) if (event.kind !== 'end') add(event, importing, metrics, workouts)
      yield bytesRead
    }
  } finally {
    // what comes before damage can be kept
    metrics.finish()
  }
}

function add(
  event: Exclude<JsonEvent, { kind: 'end' }>,
  importing: RecordImport,
  metrics: HealthMetrics,
  workouts: HealthWorkouts,
): void {
  const [, list, index, , reading] = event.path
  const isReading = list === 'metrics' && typeof reading === 'number'
  const isElement = list !== 'metrics' && event.path.length === 3 && typeof index === 'number'
  if (!isReading && !isElement) return
  const position = `byte ${event.byte}`
  importing.records++
  if (event.kind === 'broken') importing.skip('a record is not well-formed JSON', position)
  else if (isReading) metrics.add(index as number, event.value, event.byte)
  else if (list === 'workouts') workouts.add(event.value, position)
  else
    importing.skip(
      /^[a-zA-Z]{1,40}$/.test(String(list)) ? `${list} are not imported` : 'other lists are not imported',
      position,
    )
}

/** Returns the name and units of every metric by index; metrics beyond the limit are omitted. A damaged file is read up to the damage. */
async function readNames(file: ImportFile, context: ImportContext): Promise<ReadonlyMap<number, Metric>> {
  const found = new Map<number, Metric>()
  const pieces = parsedPieces(file, context.signal, () => new JsonItems(CONTAINERS, IN_METRIC), emptyJson)
  await firstPass(async () => {
    for await (const { items } of pieces) {
      for (const event of items) {
        if (event.kind !== 'value' || event.path[1] !== 'metrics') continue
        const [, , index, key] = event.path
        if ((key !== 'name' && key !== 'units') || (index as number) >= MOST_METRICS) continue
        found.set(index as number, { ...(found.get(index as number) ?? {}), [key]: asText(event.value) })
      }
    }
  })
  return found
}
