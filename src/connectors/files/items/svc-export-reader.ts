/** Turns the lines of a user's export into items of an import. */
import { ServiceError } from '../../../core/errors.ts'
import type { ImportContext, ImportItem } from '../importer.ts'
import { ItemIntake, type LineObject, parseLine } from './intake.ts'
import type { ItemReading } from './item.ts'
import { deviceProblem, pushReading } from './source.ts'
import { SVC_EXPORT_ABOUT, SVC_EXPORT_END, SVC_EXPORT_VERSION } from './svc-export-lines.ts'

/**
 * The first line names the user, and the last one shows that the file is complete. The lines between them are items, connections and data
 * about the user.
 */
export class ExportReader {
  private readonly context: ImportContext
  private readonly intake: ItemIntake
  private reading: ItemReading | null = null
  private isWhole = false

  constructor(context: ImportContext) {
    this.context = context
    // only the device is checked: another engine may know other providers and source types
    this.intake = new ItemIntake(context, item => deviceProblem(item)?.problem)
  }

  get records(): number {
    return this.intake.records
  }

  /** Takes one line. Throws ServiceError `invalid_file` when the file is not an export of this version, or goes on after its last line. */
  *line(bytes: Buffer, number: number): Generator<ImportItem> {
    const value = parseLine(bytes)
    if (value === null) return
    if (this.reading === null) {
      this.reading = this.begin(value)
      return
    }
    if (this.isWhole)
      throw new ServiceError(
        'invalid_file',
        `The export goes on after its end, at line ${number}. Export the user again and import the file unchanged.`,
      )
    if (value !== undefined && ('connection' in value || SVC_EXPORT_ABOUT in value)) return
    if (value !== undefined && SVC_EXPORT_END in value) {
      this.isWhole = true
      return
    }
    yield* this.intake.add(value, this.reading, `line ${number}`)
  }

  /** Yields the rest. If the last line is missing, throws ServiceError `invalid_file` after yielding what came before. */
  *finish(): Generator<ImportItem> {
    yield* this.intake.rest()
    if (!this.isWhole) {
      throw new ServiceError(
        'invalid_file',
        'The export is cut off: its last line, which holds the counts, is missing.',
        {
          suggestions: ['Export the user again and import the whole file.'],
        },
      )
    }
    yield { kind: 'end', records: this.records }
  }

  private begin(head: LineObject | undefined): ItemReading {
    const version = head?.['svc_export']
    if (version !== SVC_EXPORT_VERSION) {
      const isNewer = typeof version === 'number' && version > SVC_EXPORT_VERSION
      const why = isNewer
        ? 'it was written by a newer version of svc'
        : 'its first line is not the first line of an export'
      throw new ServiceError('invalid_file', `This version of svc cannot read the file as an export: ${why}.`)
    }
    const { userId, timeZone } = this.context
    return pushReading(userId, timeZone, { provider: null, sourceType: null })
  }
}
