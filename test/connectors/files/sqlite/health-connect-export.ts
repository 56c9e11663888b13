/** Builds Health Connect exports in the layout of Android: the tables, columns and codes of schema version 17. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { temporaryFolder } from '../../../kit/folder.ts'
import { buildZip } from '../exports.ts'

const RECORD =
  'row_id INTEGER PRIMARY KEY AUTOINCREMENT, uuid BLOB UNIQUE NOT NULL, last_modified_time INTEGER, client_record_id TEXT, ' +
  'client_record_version TEXT, device_info_id INTEGER, app_info_id INTEGER, recording_method INTEGER, dedupe_hash BLOB UNIQUE'
const INSTANT = `${RECORD}, time INTEGER, zone_offset INTEGER, local_date INTEGER, local_date_time INTEGER AS (time + 1000 * zone_offset)`
const INTERVAL =
  `${RECORD}, start_time INTEGER, start_zone_offset INTEGER, end_time INTEGER, end_zone_offset INTEGER, local_date INTEGER, ` +
  'local_date_time_start_time INTEGER AS (start_time + 1000 * start_zone_offset), ' +
  'local_date_time_end_time INTEGER AS (end_time + 1000 * end_zone_offset)'
const NUTRIENTS =
  'unsaturated_fat potassium thiamin trans_fat manganese energy_from_fat caffeine dietary_fiber selenium vitamin_b6 protein chloride ' +
  'cholesterol copper iodine vitamin_b12 zinc riboflavin energy molybdenum phosphorus chromium total_fat calcium vitamin_c vitamin_e ' +
  'biotin vitamin_d niacin magnesium total_carbohydrate vitamin_k polyunsaturated_fat saturated_fat sodium folate monounsaturated_fat ' +
  'pantothenic_acid iron vitamin_a folic_acid sugar'
const series = (parent: string, value: string) =>
  `parent_key INTEGER, ${value}, epoch_millis INTEGER, FOREIGN KEY (parent_key) REFERENCES ${parent} (row_id) ON DELETE CASCADE`

/** Columns by table. */
export const TABLES: Readonly<Record<string, string>> = {
  application_info_table:
    'row_id INTEGER PRIMARY KEY AUTOINCREMENT, package_name TEXT NOT NULL UNIQUE, app_name TEXT, app_icon BLOB',
  device_info_table: 'row_id INTEGER PRIMARY KEY AUTOINCREMENT, manufacturer TEXT, model TEXT, device_type INTEGER',
  health_data_category_priority_table:
    'row_id INTEGER PRIMARY KEY, health_data_category INTEGER, app_id_priority_order TEXT',
  activity_date_table: 'row_id INTEGER PRIMARY KEY, epoch_days INTEGER, record_type_id INTEGER',
  steps_record_table: `${INTERVAL}, count INTEGER`,
  distance_record_table: `${INTERVAL}, distance REAL`,
  active_calories_burned_record_table: `${INTERVAL}, energy REAL`,
  total_calories_burned_record_table: `${INTERVAL}, energy REAL`,
  basal_metabolic_rate_record_table: `${INSTANT}, basal_metabolic_rate REAL`,
  floors_climbed_record_table: `${INTERVAL}, floors REAL`,
  elevation_gained_record_table: `${INTERVAL}, elevation REAL`,
  hydration_record_table: `${INTERVAL}, volume REAL`,
  wheelchair_pushes_record_table: `${INTERVAL}, count INTEGER`,
  heart_rate_record_table: INTERVAL,
  heart_rate_record_series_table: series('heart_rate_record_table', 'beats_per_minute INTEGER'),
  resting_heart_rate_record_table: `${INSTANT}, beats_per_minute INTEGER`,
  heart_rate_variability_rmssd_record_table: `${INSTANT}, heart_rate_variability_millis REAL`,
  oxygen_saturation_record_table: `${INSTANT}, percentage REAL`,
  respiratory_rate_record_table: `${INSTANT}, rate REAL`,
  body_temperature_record_table: `${INSTANT}, temperature REAL, measurement_location INTEGER`,
  basal_body_temperature_record_table: `${INSTANT}, temperature REAL, measurement_location INTEGER`,
  skin_temperature_record_table: `${INTERVAL}, measurement_location INTEGER, baseline REAL`,
  skin_temperature_delta_table: series('skin_temperature_record_table', 'delta REAL'),
  weight_record_table: `${INSTANT}, weight REAL`,
  lean_body_mass_record_table: `${INSTANT}, mass REAL`,
  bone_mass_record_table: `${INSTANT}, mass REAL`,
  body_water_mass_record_table: `${INSTANT}, body_water_mass REAL`,
  body_fat_record_table: `${INSTANT}, percentage REAL`,
  height_record_table: `${INSTANT}, height REAL`,
  blood_pressure_record_table: `${INSTANT}, systolic REAL, diastolic REAL, body_position TEXT, measurement_location TEXT`,
  blood_glucose_record_table: `${INSTANT}, level REAL, specimen_source INTEGER, relation_to_meal INTEGER, meal_type TEXT`,
  vo2_max_record_table: `${INSTANT}, vo2_milliliters_per_minute_kilogram REAL, measurement_method INTEGER`,
  menstruation_flow_record_table: `${INSTANT}, flow INTEGER`,
  menstruation_period_record_table: INTERVAL,
  ovulation_test_record_table: `${INSTANT}, result INTEGER`,
  cervical_mucus_record_table: `${INSTANT}, sensation INTEGER, appearance INTEGER`,
  sexual_activity_record_table: `${INSTANT}, protection_used INTEGER`,
  intermenstrual_bleeding_record_table: INSTANT,
  nutrition_record_table: `${INTERVAL}, meal_name TEXT, meal_type INTEGER, ${NUTRIENTS.replaceAll(' ', ' REAL, ')} REAL`,
  mindfulness_session_record_table: `${INTERVAL}, mindfulness_session_type INTEGER, title TEXT, notes TEXT`,
  activity_intensity_record_table: `${INTERVAL}, activity_intensity_type INTEGER`,
  sleep_session_record_table: `${INTERVAL}, title TEXT, notes TEXT`,
  sleep_stages_table: 'parent_key INTEGER, stage_start_time INTEGER, stage_end_time INTEGER, stage_type INTEGER',
  exercise_session_record_table: `${INTERVAL}, exercise_type INTEGER, title TEXT, notes TEXT, has_route INTEGER`,
  exercise_laps_table: 'parent_key INTEGER, lap_start_time INTEGER, lap_end_time INTEGER, lap_length REAL',
  exercise_segments_table:
    'parent_key INTEGER, segment_start_time INTEGER, segment_end_time INTEGER, segment_type INTEGER',
  exercise_route_table:
    'parent_key INTEGER, timestamp_millis INTEGER, latitude REAL, longitude REAL, altitude REAL, horizontal_accuracy REAL, vertical_accuracy REAL',
  SpeedRecordTable: INTERVAL,
  speed_record_table: series('SpeedRecordTable', 'speed REAL'),
  PowerRecordTable: INTERVAL,
  power_record_table: series('PowerRecordTable', 'power REAL'),
  StepsCadenceRecordTable: INTERVAL,
  steps_cadence_record_table: series('StepsCadenceRecordTable', 'rate REAL'),
  CyclingPedalingCadenceRecordTable: INTERVAL,
  cycling_pedaling_cadence_record_table: series('CyclingPedalingCadenceRecordTable', 'revolutions_per_minute REAL'),
}

type Values = Readonly<Record<string, number | bigint | string | Uint8Array | null>>

/** What an instant and an interval have in common unless a test sets it: one hour east of UTC, measured by app 1 on device 1. */
const RECORDED = { app_info_id: 1, device_info_id: 1, recording_method: 2, last_modified_time: 0 }

/** A database that a test fills. Times are epoch milliseconds. */
export class HealthConnectExport {
  readonly path: string
  readonly db: DatabaseSyncInstance
  private records = 0

  constructor(version = 17, path = join(temporaryFolder(), 'health_connect_export.db')) {
    this.path = path
    this.db = new DatabaseSync(path)
    this.db.exec(`PRAGMA foreign_keys=OFF; PRAGMA user_version=${version}; CREATE TABLE android_metadata (locale TEXT)`)
    for (const [table, columns] of Object.entries(TABLES)) this.db.exec(`CREATE TABLE ${table} (${columns})`)
    this.db.exec('CREATE INDEX idx_steps ON steps_record_table (local_date_time_start_time)')
    this.app('com.example.watch')
    this.device('Example', 'Watch 3', 1)
  }

  app(name: string): number {
    return this.insert('application_info_table', { package_name: name, app_name: 'An app' })
  }

  device(manufacturer: string | null, model: string | null, type: number): number {
    return this.insert('device_info_table', { manufacturer, model, device_type: type })
  }

  /** Adds a record at an instant. */
  at(table: string, time: number, values: Values): number {
    return this.insert(table, { ...RECORDED, uuid: this.uuid(), time, zone_offset: 3600, local_date: 0, ...values })
  }

  /** Adds a record of an interval. */
  during(table: string, start: number, end: number, values: Values = {}): number {
    const times = { start_time: start, start_zone_offset: 3600, end_time: end, end_zone_offset: 3600, local_date: 0 }
    return this.insert(table, { ...RECORDED, uuid: this.uuid(), ...times, ...values })
  }

  insert(table: string, values: Values): number {
    const names = Object.keys(values)
    // the package binds the smallest number as 0
    const cells = Object.values(values).map(value => (value === Number.MIN_VALUE ? '4.9e-324' : '?'))
    const bound = Object.values(values).filter(value => value !== Number.MIN_VALUE)
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${cells.join(', ')})`
    return Number(this.db.prepare(sql).run(...bound).lastInsertRowid)
  }

  /** Closes the database and returns its bytes. */
  bytes(): Buffer {
    this.db.close()
    return readFileSync(this.path)
  }

  /** Closes the database and returns the zip file that Health Connect creates. */
  zip(): Uint8Array {
    return buildZip([{ name: 'health_connect_export.db', content: this.bytes() }])
  }

  /** Returns an ID that is the same in each export with the same records. */
  private uuid(): Uint8Array {
    const uuid = new Uint8Array(16)
    new DataView(uuid.buffer).setUint32(12, ++this.records)
    return uuid
  }
}
