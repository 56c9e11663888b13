/** The apps and devices of a Health Connect export. Each pair is a source of its own. */
import type { SourceType } from '../../../catalogue/source-types.ts'
import { ownedId } from '../../../core/ids.ts'
import { getOrInsert } from '../../../core/maps.ts'
import type { RecordImport } from '../records/import.ts'
import type { DatabaseReader } from '../sqlite/reader.ts'
import { type RecordedBy, recordedBy } from '../sqlite/recorded-by.ts'
import { readRows } from '../sqlite/rows.ts'
import type { Table } from '../sqlite/table.ts'

export const PROVIDER = 'health_connect'
export const APPS = 'application_info_table'
export const DEVICES = 'device_info_table'

/** Source types by device type: watch, phone, scale, ring, head-mounted, band, chest strap, smart display. */
const DEVICE_TYPES: readonly (SourceType | undefined)[] = [
  ...([undefined, 'watch', 'phone', 'scale', 'ring', undefined, 'watch', 'chest_strap'] as const),
]
/** The recording method of values that a person entered. */
const MANUAL = 3
/** Matches package names. */
const PACKAGE = /^[A-Za-z][\w.]{0,254}$/
/** Maximum number of apps and of devices. */
const MOST_SOURCES = 10_000

interface Device {
  readonly id: string | null
  readonly sourceType: SourceType | undefined
}

const NO_DEVICE: Device = { id: null, sourceType: undefined }

/** Finds the source of a record. */
export class Sources {
  private readonly importing: RecordImport
  private readonly apps = new Map<number, string>()
  private readonly devices = new Map<number, Device>()
  private readonly known = new Map<string, RecordedBy>()

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  async read(reader: DatabaseReader, tables: ReadonlyMap<string, Table>): Promise<void> {
    const apps = tables.get(APPS)
    if (apps !== undefined) {
      for await (const rows of readRows(reader, apps, ['row_id', 'package_name'])) {
        for (const [i, id] of rows.numbers('row_id').entries()) {
          const name = rows.text('package_name', i) ?? ''
          if (PACKAGE.test(name) && this.apps.size < MOST_SOURCES) this.apps.set(id, name)
        }
      }
    }
    const devices = tables.get(DEVICES)
    if (devices === undefined) return
    for await (const rows of readRows(reader, devices, ['row_id', 'manufacturer', 'model', 'device_type'])) {
      const [ids, types] = [rows.numbers('row_id'), rows.numbers('device_type')]
      for (const [i, id] of ids.entries()) {
        if (this.devices.size === MOST_SOURCES) break
        const [type = 0, manufacturer, model] = [
          types[i],
          rows.text('manufacturer', i) ?? '',
          rows.text('model', i) ?? '',
        ]
        this.devices.set(id, { id: this.deviceId(type, manufacturer, model), sourceType: DEVICE_TYPES[type] })
      }
    }
  }

  /**
   * Returns the source of a record with these row numbers, which differ between exports. A value that a person entered comes from the app,
   * because no sensor measured it.
   */
  of(app: number, device: number, method: number): RecordedBy {
    const appId = this.apps.get(app) ?? null
    const { id: deviceId, sourceType: measured } = this.devices.get(device) ?? NO_DEVICE
    const isManual = method === MANUAL
    return getOrInsert(this.known, `${appId} ${deviceId} ${measured} ${isManual}`, () => {
      const { provider } = this.importing
      const unmeasured = appId === null ? 'unknown' : 'app'
      const sourceType = this.importing.chooseSourceType(isManual ? 'app' : (measured ?? unmeasured))
      return recordedBy({ provider, sourceType, appId, deviceId })
    })
  }

  /** Returns a device's ID. Health Connect has none, so devices of the same model are one. */
  private deviceId(type: number, manufacturer: string, model: string): string | null {
    if (manufacturer === '' && model === '') return null
    const { provider, context } = this.importing
    return ownedId(context.userId, 'device', provider, type, manufacturer, model)
  }
}
