/** Converts the lines of a user's export into items of an import. */
import { ServiceError } from '../../../core/errors.ts'
import type { JsonObject } from '../../shared/json-fields.ts'
import type { RecordImport } from '../records/import.ts'
import { addItem } from './intake.ts'
import type { ItemReading } from './item.ts'
import { deviceProblem, pushReading } from './source.ts'
import { SVC_EXPORT_ABOUT, SVC_EXPORT_END, SVC_EXPORT_VERSION } from './svc-export-lines.ts'

/**
 * Reads an export. The first line identifies the user, and the last one shows that the file is complete. The lines between them are items,
 * connections and data about the user.
 */
export class ExportReader {
  private readonly importing: RecordImport
  private reading: ItemReading | null = null
  private isWhole = false

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  /**
   * Handles one line. Throws ServiceError `invalid_file` if the file is not an export of this version, or continues after its last line.
   */
  take(value: JsonObject | undefined, line: number): void {
    if (this.reading === null) {
      this.reading = this.begin(value)
      return
    }
    if (this.isWhole)
      throw new ServiceError(
        'invalid_file',
        `The export continues after its end, at line ${line}. Export the user again and import the file unchanged.`,
      )
    if (value !== undefined && ('connection' in value || SVC_EXPORT_ABOUT in value)) return
    if (value !== undefined && SVC_EXPORT_END in value) {
      this.isWhole = true
      return
    }
    // only the device is checked, because the exporting engine may have known other providers and source types
    addItem(this.importing, value, line, this.reading, deviceProblem)
  }

  /** Throws ServiceError `invalid_file` if the last line is missing. */
  end(): void {
    if (this.isWhole) return
    throw new ServiceError(
      'invalid_file',
      'The export is cut off: its last line, which contains the counts, is missing.',
      {
        suggestions: ['Export the user again and import the whole file.'],
      },
    )
  }

  private begin(head: JsonObject | undefined): ItemReading {
    const version = head?.['svc_export']
    if (version !== SVC_EXPORT_VERSION) {
      const isNewer = typeof version === 'number' && version > SVC_EXPORT_VERSION
      const why = isNewer
        ? 'it was written by a newer version of svc'
        : 'its first line is not the first line of an export'
      throw new ServiceError('invalid_file', `This version of svc cannot read the file as an export: ${why}.`)
    }
    const { userId, timeZone } = this.importing.context
    return pushReading(userId, timeZone, { provider: null, sourceType: null })
  }
}
