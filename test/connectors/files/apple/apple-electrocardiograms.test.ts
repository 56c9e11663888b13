/** The electrocardiograms in an export.zip. */
import { expect, test } from 'vitest'
import {
  accounted,
  buildZip,
  exportXml,
  importBytes,
  type ReadExport,
  readDamaged,
  record,
  type ZipPart,
} from '../exports.ts'

const ENGLISH = `Name,Secret Person
Date of Birth,"Feb 5, 1952"
Recorded Date,2020-02-05 09:14:40 -0400
Classification,Sinus Rhythm
Symptoms,Rapid, pounding, or fluttering heartbeat,Fatigue
Software Version,1.51
Device,"Watch5,4"
Sample Rate,500 hertz


Lead,Lead I
Unit,µV

-48.673
-59.681
1200
`
/** An export in German has translated names and decimal commas; a name may be empty. */
const GERMAN = `Name
Geburtstag,01.01.80
Aufzeichnungsdatum,2021-03-01 09:15:00 +0100
Klassifizierung,Uneindeutig
Symptome,
Softwareversion,2.0
Gerät,"Watch6,2"
Messrate,"512,5 Hertz"


Ableitung,Ableitung I
Einheit,µV

-83,123
-199,83
`
const STEPS = record('HKQuantityTypeIdentifierStepCount', '1', 'count')
const FOLDER = 'apple_health_export'
const zip = (...files: readonly (string | ZipPart)[]): Uint8Array =>
  buildZip([
    { name: `${FOLDER}/export.xml`, content: exportXml(STEPS) },
    ...files.map((file, i) =>
      typeof file === 'string' ? { name: `${FOLDER}/electrocardiograms/ecg_${i}.csv`, content: file } : file,
    ),
  ])
const voltages = (read: ReadExport): [number, number][] =>
  read.samples
    .filter(each => each.resource === 'electrocardiogram_voltage')
    .map(each => [Date.parse(each.start), each.value])
const documents = (read: ReadExport) => read.summaries.map(each => each.document)

test('stores the finding as a summary, and the voltages as samples of lead I', async () => {
  const read = await importBytes(zip(ENGLISH))
  const start = Date.UTC(2020, 1, 5, 13, 14, 40)
  expect(read.summaries).toMatchObject([
    { kind: 'electrocardiogram', sourceType: 'watch', at: start, date: '2020-02-05', offset: -14_400 },
  ])
  expect(documents(read)).toEqual([
    {
      calendar_date: '2020-02-05',
      session_start: '2020-02-05T13:14:40+00:00',
      session_end: '2020-02-05T13:14:40.006+00:00',
      voltage_sample_count: 3,
      sampling_frequency_hz: 500,
      classification: 'sinus_rhythm',
      algorithm_version: '1.51',
      source_device_model: 'Watch5,4',
      source_provider: 'apple_health_kit',
      source_type: 'watch',
    },
  ])
  expect(voltages(read)).toEqual([
    [start, -0.048673],
    [start + 2, -0.059681],
    [start + 4, 1.2],
  ])
  expect(read.samples.at(-1)).toMatchObject({ type: 'lead_1', sourceType: 'watch', offset: -14_400 })
  expect([read.records, accounted(read), read.skipped]).toEqual([5, 5, {}])
})

test('reads a file in another language, with decimal commas', async () => {
  const read = await importBytes(zip({ name: `${FOLDER}/Elektrokardiogramme/ekg.CSV`, content: GERMAN }))
  expect(documents(read)).toMatchObject([
    {
      classification: 'inconclusive',
      sampling_frequency_hz: 512.5,
      algorithm_version: '2.0',
      source_device_model: 'Watch6,2',
    },
  ])
  expect(voltages(read).map(([, value]) => value)).toEqual([-0.083123, -0.19983])
})

test('stores neither the name nor the birth date', async () => {
  const read = await importBytes(zip(ENGLISH, GERMAN))
  expect(JSON.stringify(read)).not.toMatch(/secret|1952|01\.80/i)
})

test('leaves the finding open if its words are unknown', async () => {
  const read = await importBytes(zip(ENGLISH.replace('Sinus Rhythm', 'Ritmo desconocido')))
  expect(documents(read)[0]).not.toHaveProperty('classification')
  expect(voltages(read)).toHaveLength(3)
})

test.each([
  ['sampling frequency', ENGLISH.replace('500 hertz', '500 beats')],
  ['sampling frequency', ENGLISH.replace('500 hertz', '5000 hertz')],
  ['unit', ENGLISH.replace('µV', 'parsec')],
])('keeps a recording without a known %s, but not its voltages', async (_, content) => {
  const read = await importBytes(zip(content))
  expect(documents(read)).toMatchObject([{ voltage_sample_count: 3 }])
  expect(voltages(read)).toEqual([])
  expect(read.skipped).toEqual({
    'a voltage of an electrocardiogram has no sampling frequency or no unit that can be read': 3,
  })
  expect(accounted(read)).toBe(read.records)
})

test('keeps the times of the other voltages if one is not a number', async () => {
  const read = await importBytes(zip(ENGLISH.replace('-59.681', '1.234,5')))
  const start = Date.UTC(2020, 1, 5, 13, 14, 40)
  expect(voltages(read).map(([at]) => at - start)).toEqual([0, 4])
  expect(read.skipped).toEqual({ 'a voltage of an electrocardiogram is not a number': 1 })
})

test('skips files without a time or voltages, copies, and files that are too large', async () => {
  const read = await importBytes(
    zip(
      ENGLISH,
      ENGLISH,
      'a,b\n1,2\n',
      ENGLISH.slice(0, ENGLISH.indexOf('-48')),
      ENGLISH.replace('2020-02-05', '2999-02-05'),
      ENGLISH + '1\n'.repeat(600_000),
      { name: `${FOLDER}/notes.csv`, content: ENGLISH },
    ),
  )
  expect(read.summaries).toHaveLength(1)
  expect(read.skipped).toEqual({
    'an electrocardiogram starts at the same time as another one': 1,
    'an electrocardiogram has no time or no voltages': 2,
    'an electrocardiogram starts more than a day in the future': 1,
    'an electrocardiogram is larger than 1 MiB': 1,
  })
  expect(accounted(read)).toBe(read.records)
})

test('reads the same recording in the same way from a newer export', async () => {
  const [first, second] = [await importBytes(zip(ENGLISH)), await importBytes(zip(GERMAN, ENGLISH))]
  expect(second.summaries).toEqual(expect.arrayContaining([...first.summaries]))
})

test('refuses a zip whose recording states a false size, after yielding everything else', async () => {
  const part = { name: `${FOLDER}/electrocardiograms/z.csv`, content: GERMAN, statedSize: 10 }
  const read = await readDamaged(zip(ENGLISH, part))
  expect(read.damage).toMatchObject({ code: 'invalid_file' })
  expect(read.summaries).toHaveLength(1)
  expect(accounted(read)).toBe(read.records)
})
