/** What the TCX and GPX importers share: reads the trackpoints of activities from XML as a stream of items. */
import { parseDateTime } from '../../../core/time.ts'
import type { ImportContext, ImportFile, ImportItem } from '../importer.ts'
import { importItems, RecordImport } from '../records/import.ts'
import { instantIn, type RecordTime } from '../records/time.ts'
import { type ElementHandler, elementsOf, type XmlFormat } from '../xml/elements.ts'
import type { ActivityPoints, PointValues } from './points.ts'

/** The import of a file of trackpoints. Its records are the trackpoints, stored or not. */
export class TrackImport extends RecordImport {
  timeOf(text: string): RecordTime | undefined {
    const parsed = parseDateTime(text)
    return parsed && instantIn(parsed, this.context.timeZone)
  }

  /** Adds a trackpoint and returns its time, or counts it as skipped and returns undefined. */
  point(points: ActivityPoints, time: string | undefined, values: PointValues, at: number): RecordTime | undefined {
    const read = time === undefined ? undefined : this.timeOf(time)
    const problem = read === undefined ? undefined : this.timesProblem(read.ms, read.ms)
    if (read !== undefined && problem === undefined) {
      points.add(read.ms, values)
      return read
    }
    const reason = problem ?? (time === undefined ? 'has no time' : 'has a time that cannot be read')
    this.skip(`a trackpoint ${reason}`, `byte ${at}`)
    return undefined
  }
}

export interface ActivityHandler extends ElementHandler {
  /** Closes what a damaged file left open, so that it can be kept. */
  cutOff(): void
}

/** Reads a file. If it is damaged, yields everything before the damage, then throws the error. */
export function activitiesIn(
  file: ImportFile,
  context: ImportContext,
  format: XmlFormat,
  handlerFor: (importing: TrackImport) => ActivityHandler,
): AsyncIterable<ImportItem> {
  const importing = new TrackImport(context)
  return importItems(importing, context, steps(file, context, format, handlerFor(importing)))
}

async function* steps(
  file: ImportFile,
  context: ImportContext,
  format: XmlFormat,
  handler: ActivityHandler,
): AsyncGenerator<number> {
  try {
    for await (const { bytesRead } of elementsOf(file, context, format, handler)) yield bytesRead
  } catch (error) {
    handler.cutOff()
    throw error
  }
}

/** Returns the number that a text holds, or undefined when it is not a number in the notation of these files. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Returns a heart rate, or undefined: devices write 0 when they have none. */
export function heartRateOf(text: string | undefined): number | undefined {
  const value = numberOf(text)
  return value !== undefined && value > 0 ? value : undefined
}

/** Returns an angle in degrees if it is at most `most` either way (90 for latitudes, 180 for longitudes), otherwise undefined. */
export function degreesOf(text: string | undefined, most: number): number | undefined {
  const value = numberOf(text)
  return value !== undefined && Math.abs(value) <= most ? value : undefined
}
