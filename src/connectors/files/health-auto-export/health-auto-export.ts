/** Importer of Health Auto Export JSON: metrics, each with a list of readings, and workouts. */

import { ServiceError } from '../../../core/errors.ts'
import { filePieces } from '../bytes/file-pieces.ts'
import { headText } from '../bytes/text-encoding.ts'
import type { ImportContext, Importer, ImportFile, ImportItem } from '../importer.ts'
import { asText } from '../json/fields.ts'
import { type JsonEvent, JsonItems } from '../json/items.ts'
import { failureOf } from '../json/record.ts'
import { importItems, RecordImport } from '../records/import.ts'
import { HealthMetrics, type Metric } from './metrics.ts'
import { HealthWorkouts } from './workouts.ts'

const HEAD =
  /^\s*\{\s*"data"\s*:\s*\{\s*"(?:metrics|workouts|ecg|symptoms|stateOfMind|cycleTracking|medications|heartRateNotifications)"\s*:/

/** The paths that are read element by element: the lists inside `data`, and the readings of each metric. */
const WALKED = ['data.*', 'data.metrics.*.data']
/** Depth of a metric's name and units: inside the document, `data`, `metrics` and the metric. */
const IN_METRIC = 4
/** There are about 150 metrics; a hostile file must not exhaust memory with names. */
const MOST_METRICS = 10_000

/**
 * Each reading of a metric, each workout, and each element of any other list is a record. The name and units of a metric may come after its
 * readings, so a first pass collects them.
 */
export const healthAutoExport: Importer = {
  format: 'health_auto_export',
  title: 'Health Auto Export (JSON)',
  recognises: head => HEAD.test(headText(head) ?? ''),
  read,
}

function read(file: ImportFile, context: ImportContext): AsyncIterable<ImportItem> {
  const importing = new RecordImport(context, { provider: 'manual', sourceType: 'unknown' })
  return importItems(importing, context, steps(file, context, importing))
}

async function* steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const metrics = new HealthMetrics(importing, context, await namesOf(file, context))
  const workouts = new HealthWorkouts(importing, context.timeZone)
  for await (const { events, bytesRead } of eventsOf(file, context, new JsonItems(WALKED))) {
    for (const event of events) if (event.kind !== 'end') add(event, importing, metrics, workouts)
    yield bytesRead
  }
  metrics.finish()
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
  const place = `byte ${event.byte}`
  importing.records++
  if (event.kind === 'broken') importing.skip('a record is not well-formed JSON', place)
  else if (isReading) metrics.add(index as number, event.value, place)
  else if (list === 'workouts') workouts.add(event.value, place)
  else
    importing.skip(
      /^[a-zA-Z]{1,40}$/.test(String(list)) ? `${list} are not imported` : 'other lists are not imported',
      place,
    )
}

/** Returns the name and units of every metric by its index; metrics beyond the limit have none. A damaged file is read up to the damage. */
async function namesOf(file: ImportFile, context: ImportContext): Promise<ReadonlyMap<number, Metric>> {
  const found = new Map<number, Metric>()
  try {
    for await (const { events } of eventsOf(file, context, new JsonItems(WALKED, IN_METRIC))) {
      for (const event of events) {
        if (event.kind !== 'value' || event.path[1] !== 'metrics') continue
        const [, , index, key] = event.path
        if ((key !== 'name' && key !== 'units') || (index as number) >= MOST_METRICS) continue
        found.set(index as number, { ...(found.get(index as number) ?? {}), [key]: asText(event.value) })
      }
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
  }
  return found
}

interface Events {
  readonly events: readonly JsonEvent[]
  readonly bytesRead: number
}

async function* eventsOf(file: ImportFile, context: ImportContext, items: JsonItems): AsyncGenerator<Events> {
  let bytesRead = 0
  for await (const piece of filePieces(file, context.signal)) {
    bytesRead = piece.bytesRead
    const failure = failureOf(() => items.write(piece.bytes))
    yield { events: items.take(), bytesRead }
    if (failure !== undefined) throw failure
  }
  if (bytesRead === 0)
    throw new ServiceError('invalid_file', 'The file is empty. Export the data again and import the whole file.')
  const failure = failureOf(() => items.end())
  yield { events: items.take(), bytesRead }
  if (failure !== undefined) throw failure
}
