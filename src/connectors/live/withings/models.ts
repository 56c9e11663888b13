/** Source types by model: Withings devices and other apps that Withings receives data from. */
import type { SourceType } from '../../../catalogue/source-types.ts'
import { asText, type JsonObject } from '../../shared/json-fields.ts'
import { numberAt } from '../field-table.ts'

interface ModelKind {
  readonly sourceType: SourceType
  /** Ranges of model numbers, both ends inclusive. */
  readonly ids: readonly (readonly [from: number, to: number])[]
  readonly names: RegExp
}

/** Models by source type. Sleep monitors, thermometers and gateways have no source type. */
const KINDS: readonly ModelKind[] = [
  { sourceType: 'scale', ids: [[1, 18]], names: /\bscale\b|\bbody\b|^(?:Withings )?W[BS]S?\d\d/i },
  { sourceType: 'cuff', ids: [[41, 48]], names: /\bBPM\b|blood pressure/i },
  // phones' step trackers and other services: Apple Health, Google Fit, Samsung Health, Health Connect, Huawei
  {
    sourceType: 'app',
    ids: [
      [1051, 1060],
      [1062, 1062],
    ],
    names: /\btracker\b|health connect/i,
  },
  {
    sourceType: 'watch',
    ids: [
      [51, 59],
      [90, 95],
    ],
    names: /^(?:Pulse|Activit|Withings Go|Move|ScanWatch)/i,
  },
]

/** Returns the source type of a record's device, identified by number or name; undefined if the device is not listed. */
export function readSourceType(record: JsonObject): SourceType | undefined {
  const id = ['model_id', 'modelid', 'model'].map(name => numberAt(record, name)).find(each => each !== undefined)
  const name = asText(record['model']) ?? ''
  const kind =
    KINDS.find(({ ids }) => id !== undefined && ids.some(([from, to]) => id >= from && id <= to)) ??
    KINDS.find(({ names }) => names.test(name))
  return kind?.sourceType
}
