/** Meals, menstrual cycles and electrocardiograms of an Apple Health export, from the file to responses and queries, and back. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildZip, exportXml, record } from '../../connectors/files/exports.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

let service: Harness
let user_id: string

beforeEach(async () => {
  service = await openHarness()
  user_id = (await service.call('user.create', { body: { client_user_id: 'ada' } })).user_id
})
afterEach(() => service.engine.close())

const AT = { startDate: '2026-11-02 12:00:00 +0100', endDate: '2026-11-02 12:00:00 +0100', sourceName: 'Diary' }
const VITAMIN = record('HKQuantityTypeIdentifierDietaryVitaminB12', '2.4', 'mcg', AT)
const FOOD = `<Correlation type="HKCorrelationTypeIdentifierFood" sourceName="Diary" startDate="${AT.startDate}" endDate="${AT.endDate}"><MetadataEntry key="HKFoodType" value="Soup"/>${VITAMIN}</Correlation>`
const FLOW = record(
  'HKCategoryTypeIdentifierMenstrualFlow',
  'HKCategoryValueMenstrualFlowLight',
  undefined,
  AT,
).replace('/>', '><MetadataEntry key="HKMenstrualCycleStart" value="1"/></Record>')
const RECORDING = `Name,Secret Person\nDate of Birth,"Feb 5, 1952"\nRecorded Date,2026-11-02 09:14:40 +0100
Classification,Atrial Fibrillation\nSymptoms,\nSoftware Version,2.0\nDevice,"Watch6,2"\nSample Rate,512 hertz\n\n
Lead,Lead I\nUnit,µV\n\n-48.673\n-59.681\n`

function exportZip(): string {
  const path = join(temporaryFolder(), 'export.zip')
  const parts = [
    { name: 'apple_health_export/export.xml', content: exportXml(VITAMIN + FOOD + FLOW) },
    { name: 'apple_health_export/electrocardiograms/ecg.csv', content: RECORDING },
  ]
  writeFileSync(path, buildZip(parts))
  return path
}
const load = (path: string) =>
  service.call('import.create', { params: { user_id }, query: {}, body: { kind: 'file', path } })
const KINDS = { meal: 'meals', menstrual_cycle: 'menstrual_cycle', electrocardiogram: 'electrocardiogram' } as const
type Resource = keyof typeof KINDS

async function summaries(resource: Resource): Promise<unknown[]> {
  const query = { start_date: '2026-11-01', end_date: '2026-11-05' }
  const reply: Readonly<Record<string, unknown>> = await service.call('summary.get', {
    params: { resource, user_id },
    query,
  })
  return reply[KINDS[resource]] as unknown[]
}
const all = () => Promise.all((['meal', 'menstrual_cycle', 'electrocardiogram'] as const).map(summaries))

test('are served with all their keys, change nothing when imported again, and disappear when undone', async () => {
  const path = exportZip()
  const report = await load(path)
  // the nutrient is part of the meal
  expect(report).toMatchObject({
    records: 6,
    stored: { electrocardiogram_voltage: { samples: 2 } },
    summaries: { meal: { created: 1 }, menstrual_cycle: { created: 1 }, electrocardiogram: { created: 1 } },
    skipped: [{ reason: 'records of food joined into the meals that are stored', count: 1 }],
  })
  const before = await all()
  expect(before).toMatchObject([
    [{ name: 'Soup', micros: { minerals: null, vitamins: { vitamin_b12: 2.4 } }, source: { type: 'app' } }],
    [{ period_start: '2026-11-02', menstrual_flow: [{ date: '2026-11-02', flow: 'light' }], cervical_mucus: [] }],
    [{ classification: 'atrial_fibrillation', voltage_sample_count: 2, heart_rate_mean: null }],
  ])
  expect(await load(path)).toMatchObject({
    stored: { electrocardiogram_voltage: { samples: 2, replaced: 0, unchanged: 2 } },
    summaries: { meal: { unchanged: 1 }, menstrual_cycle: { unchanged: 1 }, electrocardiogram: { unchanged: 1 } },
  })
  expect(await all()).toEqual(before)
  expect(JSON.stringify(before)).not.toMatch(/secret|1952/i)
  await service.call('import.undo', { params: { import_id: report.import_id ?? '' } })
  expect(await all()).toEqual([[], [], []])
})

test('are read by queries, vitamins in the unit of their column', async () => {
  await load(exportZip())
  const { results } = await service.call('aggregate.query', {
    params: { user_id },
    body: {
      timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'day', value: 30 } },
      queries: [{ select: [{ meal: 'name' }, { meal: 'vitamin_b12_microgram' }] }],
    },
  })
  expect(results).toMatchObject([{ table: { name: ['Soup'], vitamin_b12_microgram: [2.4] } }])
})
