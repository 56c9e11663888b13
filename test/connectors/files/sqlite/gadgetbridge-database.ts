/** Builds Gadgetbridge databases in the layout of the app: the tables of the families that are read, without row numbers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { temporaryFolder } from '../../../kit/folder.ts'
import { buildZip } from '../exports.ts'

const sample = (columns: string): string =>
  '"TIMESTAMP" INTEGER NOT NULL, "DEVICE_ID" INTEGER NOT NULL, "USER_ID" INTEGER NOT NULL, ' +
  `${columns}, PRIMARY KEY ("TIMESTAMP", "DEVICE_ID") ON CONFLICT REPLACE) WITHOUT ROWID`
const ACTIVITY =
  '"RAW_INTENSITY" INTEGER NOT NULL, "STEPS" INTEGER NOT NULL, "RAW_KIND" INTEGER NOT NULL, "HEART_RATE" INTEGER NOT NULL'
const TYPED = (column: string) => sample(`"TYPE_NUM" INTEGER NOT NULL, "${column}" INTEGER NOT NULL`)
const ZONED = (column: string) => sample(`"UTC_OFFSET" INTEGER NOT NULL, "${column}" INTEGER NOT NULL`)

/** What follows the name of each table. */
const TABLES: Readonly<Record<string, string>> = {
  USER: '"_id" INTEGER PRIMARY KEY, "NAME" TEXT NOT NULL, "BIRTHDAY" INTEGER NOT NULL, "GENDER" INTEGER NOT NULL)',
  DEVICE:
    '"_id" INTEGER PRIMARY KEY, "NAME" TEXT NOT NULL, "MANUFACTURER" TEXT NOT NULL, "IDENTIFIER" TEXT NOT NULL UNIQUE, ' +
    '"TYPE" INTEGER NOT NULL, "TYPE_NAME" TEXT NOT NULL, "MODEL" TEXT, "ALIAS" TEXT)',
  BATTERY_LEVEL: sample('"LEVEL" INTEGER NOT NULL'),
  MI_BAND_ACTIVITY_SAMPLE: sample(ACTIVITY),
  HUAMI_EXTENDED_ACTIVITY_SAMPLE: sample(`${ACTIVITY}, "SLEEP" INTEGER, "DEEP_SLEEP" INTEGER, "REM_SLEEP" INTEGER`),
  XIAOMI_ACTIVITY_SAMPLE: sample(`${ACTIVITY}, "STRESS" INTEGER, "SPO2" INTEGER`),
  GARMIN_ACTIVITY_SAMPLE: sample(`${ACTIVITY}, "DISTANCE_CM" INTEGER NOT NULL, "ACTIVE_CALORIES" INTEGER NOT NULL`),
  HUAMI_SPO2_SAMPLE: TYPED('SPO2'),
  HUAMI_STRESS_SAMPLE: TYPED('STRESS'),
  HUAMI_HEART_RATE_MANUAL_SAMPLE: ZONED('HEART_RATE'),
  HUAMI_HEART_RATE_RESTING_SAMPLE: ZONED('HEART_RATE'),
  HUAMI_SLEEP_RESPIRATORY_RATE_SAMPLE: ZONED('RATE'),
  HUAMI_PAI_SAMPLE: ZONED('PAI_TODAY'),
  GARMIN_STRESS_SAMPLE: sample('"STRESS" INTEGER NOT NULL'),
  GARMIN_SPO2_SAMPLE: sample('"SPO2" INTEGER NOT NULL'),
  GARMIN_RESPIRATORY_RATE_SAMPLE: sample('"RESPIRATORY_RATE" REAL NOT NULL'),
  GARMIN_HEART_RATE_RESTING_SAMPLE: sample('"HEART_RATE" INTEGER NOT NULL'),
  GARMIN_HRV_VALUE_SAMPLE: sample('"VALUE" INTEGER NOT NULL'),
  GARMIN_SLEEP_STAGE_SAMPLE: sample('"STAGE" INTEGER NOT NULL'),
  XIAOMI_SLEEP_TIME_SAMPLE: sample(
    '"WAKEUP_TIME" INTEGER, "IS_AWAKE" INTEGER, "TOTAL_DURATION" INTEGER, "DEEP_SLEEP_DURATION" INTEGER, ' +
      '"LIGHT_SLEEP_DURATION" INTEGER, "REM_SLEEP_DURATION" INTEGER, "AWAKE_DURATION" INTEGER',
  ),
  XIAOMI_SLEEP_STAGE_SAMPLE: sample('"STAGE" INTEGER'),
  MI_SCALE_WEIGHT_SAMPLE: sample('"WEIGHT_KG" REAL NOT NULL'),
  BASE_ACTIVITY_SUMMARY:
    '"_id" INTEGER PRIMARY KEY, "NAME" TEXT, "START_TIME" INTEGER NOT NULL, "END_TIME" INTEGER NOT NULL, "ACTIVITY_KIND" INTEGER NOT NULL, ' +
    '"GPX_TRACK" TEXT, "DEVICE_ID" INTEGER NOT NULL, "USER_ID" INTEGER NOT NULL, "SUMMARY_DATA" TEXT, "RAW_SUMMARY_DATA" BLOB)',
}

export class GadgetbridgeDatabase {
  readonly path = join(temporaryFolder(), 'Gadgetbridge')
  readonly db: DatabaseSyncInstance

  /** `more` are further tables, like `TABLES`. */
  constructor(more: Readonly<Record<string, string>> = {}) {
    this.db = new DatabaseSync(this.path)
    this.db.exec('PRAGMA user_version=92; CREATE TABLE android_metadata (locale TEXT)')
    for (const [table, columns] of Object.entries({ ...TABLES, ...more }))
      this.db.exec(`CREATE TABLE "${table}" (${columns}`)
    this.insert('USER', { _id: 1, NAME: 'Ada', BIRTHDAY: 0, GENDER: 0 })
    this.device(1, "Ada's band", 'Huami')
  }

  device(id: number, name: string, manufacturer: string): void {
    const about = { IDENTIFIER: `00:00:00:00:00:0${id}`, TYPE: 0, TYPE_NAME: 'MIBAND5', MODEL: null, ALIAS: null }
    this.insert('DEVICE', { _id: id, NAME: name, MANUFACTURER: manufacturer, ...about })
  }

  /** Adds a sample of device 1, unless a test sets another one. */
  sample(table: string, timestamp: number, values: Readonly<Record<string, number | string | null>>): void {
    this.insert(table, { TIMESTAMP: timestamp, DEVICE_ID: 1, USER_ID: 1, ...values })
  }

  activity(table: string, seconds: number, values: Readonly<Record<string, number | string>>): void {
    this.sample(table, seconds, { RAW_INTENSITY: 0, RAW_KIND: 1, STEPS: 0, HEART_RATE: 255, ...values })
  }

  insert(table: string, values: Readonly<Record<string, number | string | null>>): void {
    const names = Object.keys(values)
    const sql = `INSERT INTO "${table}" (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
    this.db.prepare(sql).run(...Object.values(values))
  }

  /** Closes the database and returns the zip file that Gadgetbridge exports. */
  zip(): Uint8Array {
    this.db.close()
    return buildZip([
      { name: 'database/Gadgetbridge', content: readFileSync(this.path) },
      { name: 'preferences/global.json', content: '{}' },
      { name: 'gadgetbridge.json', content: '{}' },
    ])
  }
}
