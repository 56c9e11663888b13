/** Damaged exports: everything before the damage is yielded before the error, so that it can be kept. */
import { expect, test } from 'vitest'
import { accounted, buildZip, exportXml, importBytes, readDamaged, record } from '../exports.ts'

const Q = 'HKQuantityTypeIdentifier'
const steps = (minute: number): string =>
  record(`${Q}StepCount`, String(minute), 'count', {
    startDate: `2026-01-01 08:${String(minute).padStart(2, '0')}:00 +0100`,
    endDate: `2026-01-01 08:${String(minute).padStart(2, '0')}:30 +0100`,
  })
const sleep = record('HKCategoryTypeIdentifierSleepAnalysis', 'HKCategoryValueSleepAnalysisAsleepCore', undefined)
const pressure = record(`${Q}BloodPressureSystolic`, '120', 'mmHg')
const workout =
  '<Workout workoutActivityType="HKWorkoutActivityTypeYoga" startDate="2026-01-01 08:00:00 +0000" endDate="2026-01-01 09:00:00 +0000"/>'
const BEFORE = [steps(1), sleep, pressure, workout, steps(2)].join('\n')
const invalid = { code: 'invalid_file', exitCode: 2 }

const openRecord = steps(3).replace('/>', '>')
const openWorkout = workout.replace('/>', '>')
test.each([
  ['is cut off between records', exportXml(BEFORE).replace(/<\/HealthData>\s*$/, ''), 5],
  ['is cut off inside a tag', exportXml(`${BEFORE}<Record type="${Q}St`).replace(/"?\n<\/HealthData>\s*$/, ''), 5],
  ['is cut off inside a record', exportXml(`${BEFORE}${openRecord}`).replace(/<\/HealthData>\s*$/, ''), 6],
  ['is cut off inside a workout', exportXml(`${BEFORE}${openWorkout}`).replace(/<\/HealthData>\s*$/, ''), 6],
  ['is not well-formed', exportXml(`${BEFORE}</Record>${steps(3)}`), 5],
  ['holds a "<" in a tag', exportXml(`${BEFORE}<Record type="${steps(3)}`), 5],
  ['holds a NUL', exportXml(`${BEFORE}\u0000${steps(3)}`), 5],
])('keeps everything up to the point where a file %s', async (_what, content, records) => {
  const read = await readDamaged(content as string)
  expect(read.damage).toMatchObject(invalid)
  expect(read.samples.map(each => each.value)).toEqual([1, 2])
  expect(read.summaries.map(each => each.kind).sort()).toEqual(['sleep', 'sleep_cycle', 'workouts'])
  expect([read.records, accounted(read)]).toEqual([records, records])
  await expect(importBytes(content as string)).rejects.toMatchObject(invalid)
})

test('counts the truncated record as skipped, with its position', async () => {
  const xml = exportXml(`${BEFORE}${openRecord}`).replace(/<\/HealthData>\s*$/, '')
  const read = await readDamaged(xml)
  expect(read.places['a record is cut off']).toEqual([`byte ${Buffer.from(xml).indexOf(openRecord)}`])
})

test('keeps the content of a zip before it breaks off or its checksum fails', async () => {
  const many = Array.from({ length: 60 }, (_, i) => steps(i)).join('\n')
  const content = exportXml(many)
  const failing = await readDamaged(buildZip([{ name: 'export.xml', content, statedCrc: 1 }]))
  expect(failing.damage).toMatchObject({ ...invalid, message: expect.stringMatching(/checksum/) })
  expect(failing.samples).toHaveLength(60)
  expect(accounted(failing)).toBe(failing.records)
})

test('keeps nothing if the file is not an export', async () => {
  for (const content of ['', 'text', '<gpx/>', Buffer.from([0xff, 0xfe, 0x3c, 0x00])]) {
    const read = await readDamaged(content)
    expect(read.damage).toMatchObject(invalid)
    expect([read.samples, read.summaries]).toEqual([[], []])
  }
})

test('continues after a very long line, and stops at an unclosed tag after a megabyte', async () => {
  const open = exportXml(BEFORE).slice(0, -'\n</HealthData>\n'.length)
  const line = await readDamaged(Buffer.concat([Buffer.from(open), Buffer.alloc(20_000_000, 'x')]))
  expect(line.damage).toMatchObject({ ...invalid, message: expect.stringMatching(/cut off/) })
  expect(line.samples).toHaveLength(2)
  const tag = await readDamaged(`${open}<Record value="${'x'.repeat(3_000_000)}`)
  expect(tag.damage).toMatchObject({ ...invalid, message: expect.stringMatching(/more than 1 MiB/) })
  expect(tag.samples).toHaveLength(2)
})
