/** Reads activities' trackpoints from XML, for the TCX and GPX importers. */
import { parseDateTime } from '../../../core/time.ts'
import type { ActivityPoints, PointValues } from '../../shared/points.ts'
import { instantIn, type RecordTime } from '../../shared/record-time.ts'
import type { Importer } from '../importer.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import { kindsOfRules } from '../records/kinds.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { type ElementHandler, feedElements, hasRoot, type XmlFormat } from '../xml/elements.ts'
import { POINT_SAMPLES } from './activity.ts'

interface TrackFormat extends Pick<Importer, 'format' | 'title'> {
  readonly xml: XmlFormat
  handler(importing: RecordImport): TrackHandler
}

/** Returns the importer of a format whose records are trackpoints. */
export function trackImporter({ format, title, xml, handler }: TrackFormat): Importer {
  return recordImporter({
    format,
    title,
    kinds: kindsOfRules(POINT_SAMPLES.map(resource => ({ resource }))),
    recognizes: head => hasRoot(head, xml.root),
    async *steps(file, context, importing) {
      const tracks = handler(importing)
      try {
        for await (const { bytesRead } of feedElements(file, context, xml, tracks)) yield bytesRead
      } catch (error) {
        // unfinished elements of a damaged file can be kept
        tracks.cutOff()
        throw error
      }
    },
  })
}

/** Handles a file's elements. Collects a trackpoint's values by name until the trackpoint ends. */
export abstract class TrackHandler implements ElementHandler {
  protected readonly importing: RecordImport
  protected point: Map<string, string> | undefined
  private pointAt = 0

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  abstract open(name: string, attributes: XmlAttributes, parent: string, at: number): void
  abstract close(name: string, text: string, parent: string): void
  /** Adds the open activity, if there is one. */
  protected abstract endActivity(): void

  cutOff(): void {
    if (this.point !== undefined) this.skip('is cut off')
    this.point = undefined
    this.endActivity()
  }

  protected openPoint(at: number, values: Readonly<Record<string, string>> = {}): void {
    this.importing.records++
    this.pointAt = at
    this.point = new Map(Object.entries(values))
  }

  /** Returns the values of the point that just ended. */
  protected closePoint(): ReadonlyMap<string, string> | undefined {
    const { point } = this
    this.point = undefined
    return point
  }

  /** Skips the last point because of this problem. */
  protected skip(problem: string): void {
    this.importing.skip(`a trackpoint ${problem}`, `byte ${this.pointAt}`)
  }

  protected parseTime(text: string): RecordTime | undefined {
    const parsed = parseDateTime(text)
    return parsed && instantIn(parsed, this.importing.context.timeZone)
  }

  /** Returns the time if data may have it. */
  protected validTime(text: string): RecordTime | undefined {
    const time = this.parseTime(text)
    return time && this.importing.timesProblem(time.ms, time.ms) === undefined ? time : undefined
  }

  /** Adds the last point and returns its time, or skips it and returns undefined. */
  protected addPoint(points: ActivityPoints, time: string | undefined, values: PointValues): RecordTime | undefined {
    const read = time === undefined ? undefined : this.parseTime(time)
    const problem = read === undefined ? undefined : this.importing.timesProblem(read.ms, read.ms)
    if (read !== undefined && problem === undefined) {
      points.add(read.ms, values)
      return read
    }
    this.skip(problem ?? (time === undefined ? 'has no time' : 'has a time that cannot be read'))
    return undefined
  }
}

/** Returns the number in a text, or undefined if it is not a number in these files' notation. */
export function readNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Returns a heart rate, or undefined for 0, which devices write if they have no heart rate. */
export function readHeartRate(text: string | undefined): number | undefined {
  const value = readNumber(text)
  return value !== undefined && value > 0 ? value : undefined
}

/** Returns an angle in degrees if it is between -`most` and `most` (90 for latitudes, 180 for longitudes), otherwise undefined. */
export function readDegrees(text: string | undefined, most: number): number | undefined {
  const value = readNumber(text)
  return value !== undefined && Math.abs(value) <= most ? value : undefined
}
