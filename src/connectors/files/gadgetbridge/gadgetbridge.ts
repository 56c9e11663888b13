/**
 * Importer for Gadgetbridge's database, or the zip file that contains it. Reads by index are unchecked (`as number`), because the loops are
 * hot and stay in range.
 */
import { OTHER_SPORT, sportNamed } from '../../../catalogue/sports.ts'
import { ownedId } from '../../../core/ids.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { ONLY_IN_SUMMARIES } from '../../shared/heart-values.ts'
import { workoutSummary } from '../../shared/summaries.ts'
import { convert } from '../records/conversion.ts'
import type { RecordImport } from '../records/import.ts'
import { kindsOfRules } from '../records/kinds.ts'
import { HeartDays } from '../sqlite/heart-days.ts'
import { databaseImporter } from '../sqlite/importer.ts'
import type { DatabaseReader } from '../sqlite/reader.ts'
import { noticeWithoutOffset, offsetInZone, type RecordedBy, recordedBy, summaryOrigin } from '../sqlite/recorded-by.ts'
import { missingColumn, readRows, skipTable, tableLabel } from '../sqlite/rows.ts'
import type { Table } from '../sqlite/table.ts'
import { XiaomiNights } from './nights.ts'
import { type Reading, timesProblem } from './records.ts'
import {
  BOOKKEEPING,
  DEVICES,
  SLEEP,
  SLEEP_STAGES,
  SPORT_NAMES,
  TABLE_RULES,
  type TableRule,
  WORKOUTS,
} from './tables.ts'

const APP = 'nodomain.freeyourgadget.gadgetbridge'
const ENTRY = /(?:^|\/)database\/Gadgetbridge$/
/** Maximum number of devices. */
const MOST_DEVICES = 1_000

export const gadgetbridge = databaseImporter({
  format: 'gadgetbridge',
  title: "Gadgetbridge (the zip file of an export, or the app's database)",
  kinds: kindsOfRules(
    Object.values(TABLE_RULES).flatMap(({ values }) =>
      values.map(({ resource }) => ({ ...(resource && { resource }) })),
    ),
  ),
  isEntry: name => ENTRY.test(name),
  hasTables: tables => tables.includes(DEVICES) && tables.includes(WORKOUTS),
  async *read(reader, importing) {
    const known = [...Object.keys(TABLE_RULES), DEVICES, WORKOUTS, SLEEP, SLEEP_STAGES]
    const unread = reader.tables.filter(name => !known.includes(name) && !BOOKKEEPING.test(name))
    const tables = await reader.describe([...known, ...unread])
    for (const table of unread.flatMap(name => tables.get(name) ?? [])) {
      await skipTable(importing, reader, table, `${tableLabel(table.name)} is not imported`)
    }
    const heart = new HeartDays(importing)
    const reading: Reading = { reader, importing, heart, source: await readDevices(reader, importing, tables) }
    const nights = new XiaomiNights(reading)
    const parts: AsyncIterable<void>[] = [nights.read(tables.get(SLEEP), tables.get(SLEEP_STAGES))]
    for (const table of tables.values()) {
      const rule = TABLE_RULES[table.name]
      if (rule !== undefined) parts.push(addSamples(reading, table, rule))
      if (table.name === WORKOUTS) parts.push(addWorkouts(reading, table))
    }
    for (const [i, part] of parts.entries()) {
      for await (const _ of part) yield i / parts.length
    }
    nights.finish()
    heart.finish()
  },
})

/** Reads the devices. Returns a function that returns their sources. */
async function readDevices(
  reader: DatabaseReader,
  importing: RecordImport,
  tables: ReadonlyMap<string, Table>,
): Promise<Reading['source']> {
  const { context } = importing
  const devices = new Map<number, { readonly id: string; readonly isGarmin: boolean }>()
  const table = tables.get(DEVICES)
  if (table !== undefined) {
    // the name can contain that of its owner, and is not read
    for await (const rows of readRows(reader, table, ['_id', 'IDENTIFIER', 'MANUFACTURER'])) {
      for (const [i, id] of rows.numbers('_id').entries()) {
        if (devices.size === MOST_DEVICES) break
        const [identifier, maker] = [rows.text('IDENTIFIER', i) ?? `${id}`, rows.text('MANUFACTURER', i) ?? '']
        const deviceId = ownedId(context.userId, 'device', APP, identifier)
        devices.set(id, { id: deviceId, isGarmin: maker.toLowerCase() === 'garmin' })
      }
    }
  }
  const known = new Map<string, RecordedBy>()
  return (device, sourceType) =>
    getOrInsert(known, `${device} ${sourceType}`, () => {
      const found = devices.get(device)
      const provider = context.provider ?? (found?.isGarmin ? 'garmin' : 'manual')
      const deviceId = found?.id ?? null
      return recordedBy({ provider, sourceType: importing.chooseSourceType(sourceType), appId: APP, deviceId })
    })
}

async function* addSamples(
  reading: Reading,
  table: Table,
  { unitMs, sourceType, values }: TableRule,
): AsyncGenerator<void> {
  const { reader, importing, heart } = reading
  const { collector } = importing
  const missing = missingColumn(table, ['TIMESTAMP', 'DEVICE_ID'])
  if (missing !== undefined) return skipTable(importing, reader, table, `${table.name} lacks the column ${missing}`)
  for await (const rows of readRows(reader, table, ['TIMESTAMP', 'DEVICE_ID', ...values.map(({ column }) => column)])) {
    const [times, devices] = [rows.numbers('TIMESTAMP'), rows.numbers('DEVICE_ID')]
    const cells = values.map(({ column }) => rows.numbers(column))
    importing.records += rows.n
    noticeWithoutOffset(importing, rows.n)
    for (let i = 0; i < rows.n; i++) {
      const start = (times[i] as number) * unitMs
      const problem = timesProblem(importing, start, start)
      const source = reading.source(devices[i] as number, sourceType)
      const offset = offsetInZone(importing, start)
      let reason = `a row of ${table.name} ${problem ?? 'has no value'}`
      for (const [k, { resource, least, most = Number.MAX_VALUE, factor = 1 }] of values.entries()) {
        const amount = cells[k]?.[i] as number
        if (problem !== undefined || !(amount >= least && amount <= most)) continue
        if (resource === null) {
          heart.addResting(source, { ms: start, offset }, amount)
          reason = ONLY_IN_SUMMARIES
          continue
        }
        // the length of the time that steps are from is not stated
        const value = convert(amount, { factor, plus: 0 })
        collector.add(source.series(resource), { start, value, offset, text: source.text })
        reason = ''
      }
      if (reason !== '') importing.skip(reason, rows.place(i))
    }
    yield
  }
}

async function* addWorkouts(reading: Reading, table: Table): AsyncGenerator<void> {
  const { reader, importing } = reading
  const columns = ['NAME', 'START_TIME', 'END_TIME', 'ACTIVITY_KIND', 'DEVICE_ID']
  for await (const rows of readRows(reader, table, columns)) {
    const [, starts, ends, kinds, devices] = columns.map(name => rows.numbers(name)) as Float64Array[]
    importing.records += rows.n
    noticeWithoutOffset(importing, rows.n)
    for (let i = 0; i < rows.n; i++) {
      const [start, end, kind] = [starts?.[i] as number, ends?.[i] as number, kinds?.[i] as number]
      const problem = timesProblem(importing, start, end)
      if (problem !== undefined) {
        importing.skip(`a row of ${table.name} ${problem}`, rows.place(i))
        continue
      }
      const source = reading.source(devices?.[i] as number, 'watch')
      const sport = sportNamed(SPORT_NAMES.get(kind) ?? '') ?? OTHER_SPORT
      const offset = offsetInZone(importing, start)
      const origin = summaryOrigin(importing, source, [source.key, start, sport.slug], { ms: start, offset })
      const title = rows.text('NAME', i) || sport.name
      importing.addItem({ kind: 'summary', summary: workoutSummary(origin, { start, end }, sport, { title }) })
    }
    yield
  }
}
