/** Importer for exports of Android's Health Connect: `health_connect_export.db`, or the zip file that contains it. */
import { kindsOfRules } from '../records/kinds.ts'
import { HeartDays } from '../sqlite/heart-days.ts'
import { databaseImporter } from '../sqlite/importer.ts'
import { refused } from '../sqlite/reader.ts'
import { skipTable, tableLabel } from '../sqlite/rows.ts'
import { addCycles, CYCLE_TABLES } from './cycles.ts'
import { addMeals } from './meals.ts'
import { Nights } from './nights.ts'
import type { Reading } from './records.ts'
import { addSamples } from './samples.ts'
import { APPS, DEVICES, PROVIDER, Sources } from './sources.ts'
import { OLDEST_VERSION, SAMPLE_RULES, UNUSED } from './tables.ts'
import { Workouts } from './workouts.ts'

const ENTRY = /(?:^|\/)health_connect_export(?:\(\d+\))?\.db$/i
/** Tables with records, or parts of records, that are read in another way. */
const OTHERS = [
  ...[APPS, DEVICES, 'sleep_session_record_table', 'sleep_stages_table', 'exercise_session_record_table'],
  ...[
    'exercise_route_table',
    'nutrition_record_table',
    ...CYCLE_TABLES,
    ...Object.values(SAMPLE_RULES).flatMap(({ parent }) => parent ?? []),
  ],
]
/** Matches tables with records, including those of later versions. */
const RECORDS = /_record_table$|RecordTable$/

export const healthConnect = databaseImporter({
  format: 'health_connect',
  title: 'Health Connect export (a zip file with health_connect_export.db, or that database)',
  kinds: kindsOfRules([
    ...Object.values(SAMPLE_RULES).map(({ resource }) => (resource === null ? {} : { resource })),
    { resource: 'body_temperature', text: { sensor_location: 'wrist' } },
  ]),
  source: { provider: PROVIDER, sourceType: 'unknown' },
  isEntry: name => ENTRY.test(name),
  hasTables: tables => tables.includes(APPS) && tables.some(name => RECORDS.test(name)),
  async *read(reader, importing) {
    if (reader.version < OLDEST_VERSION)
      throw refused(
        `has the schema version ${reader.version}, but only version ${OLDEST_VERSION} and later ones can be read`,
      )
    const read = [...Object.keys(SAMPLE_RULES), ...OTHERS]
    const unread = reader.tables.filter(
      name => !read.includes(name) && (RECORDS.test(name) || Object.hasOwn(UNUSED, name)),
    )
    const tables = await reader.describe([...read, ...unread])
    const sources = new Sources(importing)
    await sources.read(reader, tables)
    const reading: Reading = { reader, importing, sources, tables }
    const [workouts, nights, heart] = [new Workouts(reading), new Nights(reading), new HeartDays(importing)]
    const parts: AsyncIterable<void>[] = [workouts.read(), nights.read(), addMeals(reading), addCycles(reading)]
    for (const table of tables.values()) {
      const rule = SAMPLE_RULES[table.name]
      if (rule !== undefined) parts.push(addSamples(reading, table, rule, workouts, heart))
      if (unread.includes(table.name)) await skipTable(importing, reader, table, unusedReason(table.name))
    }
    for (const [i, part] of parts.entries()) {
      for await (const _ of part) yield i / parts.length
    }
    nights.finish(heart)
    heart.finish()
    for (const _ of workouts.finish()) yield 1
  },
})

function unusedReason(table: string): string {
  return (Object.hasOwn(UNUSED, table) && UNUSED[table]) || `${tableLabel(table)} is not imported`
}
