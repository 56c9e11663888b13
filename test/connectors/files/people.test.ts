/** A table of several people does not become one person. */
import { expect, test } from 'vitest'
import { mappedCsv, mappedNdjson } from '../../../src/connectors/files/mapped/mapped.ts'
import { type MappingOptions, parseMapping } from '../../../src/connectors/files/mapped/mapping.ts'
import { type RecordsRead, readContent, reasons } from './record-files.ts'
import { dailyActivity, minuteSleep, studyId } from './study-tables.ts'

const csv = (content: string, pairs: readonly string[], options: MappingOptions): Promise<RecordsRead> =>
  readContent(mappedCsv, content, { mapping: parseMapping(pairs, options) })
const ndjson = (content: string, options: MappingOptions): Promise<RecordsRead> =>
  readContent(mappedNdjson, content, { mapping: parseMapping(['start=t', 'value=v'], options) })
const STEPS = ['start=ActivityDate', 'value=TotalSteps'] as const
const PLAIN = ['start=Time', 'value=Value'] as const
const steps = { resource: 'steps' }
const at = (minute: number): string => new Date(Date.UTC(2025, 2, 1) + minute * 60_000).toISOString()
const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n')

test('refuses the daily totals of 34 people, and names the column but shows no ID', async () => {
  const read = await csv(dailyActivity({ people: 34, days: 28 }), STEPS, steps)
  expect(read.samples).toEqual([])
  expect(read.error).toMatchObject({
    code: 'invalid_file',
    message: expect.stringMatching(/more than one person: its column "Id" has 34 values, and line 30 has another/),
    suggestions: [expect.stringContaining("--where 'Id=VALUE'"), expect.stringContaining("--map 'user=Id'")],
  })
  expect(JSON.stringify([read.error?.message, read.error?.suggestions])).not.toContain(studyId(0).slice(0, 6))
})

test('reads the rows of one person by a condition, and counts the others', async () => {
  const read = await csv(dailyActivity({ people: 34, days: 28 }), STEPS, {
    ...steps,
    where: [{ column: 'id', value: ` ${studyId(3)} ` }],
  })
  expect(read).toMatchObject({ records: 952, error: undefined, dateOrder: { order: 'mdy' } })
  expect(read.samples.map(({ value }) => value)).toEqual(Array.from({ length: 28 }, (_, day) => 9300 + day))
  expect(reasons(read)).toEqual({ 'a row is not selected': 924 })
})

test('refuses minutes of several people even if their column has another name', async () => {
  const content = minuteSleep(5, 300).replace('Id,', 'Kennung,')
  const read = await csv(content, ['start=date', 'value=value'], { resource: 'stress_level' })
  expect(read.samples).toEqual([])
  expect(read.error?.message).toMatch(/about 100 % of its rows have the time of another row but a different value/)
})

test('reads a table of one person with an ID in each row', async () => {
  const rows = lines(40, i => `${i + 1},7,${at(i)},${i}`)
  expect(await csv(`id,user_id,Time,Value\n${rows}\n`, PLAIN, steps)).toMatchObject({ records: 40, error: undefined })
})

test.each([
  ...[
    'user_id',
    'Participant',
    'ParticipantIdentifier',
    'patientReference',
    'subject id',
    'SubjectNumber',
    'app_user_id',
  ],
  ...[
    'E-Mail',
    'mail',
    'First Name',
    'Nachname',
    'Patienten-ID',
    'Probandennummer',
    'id_student',
    'ID du patient',
    'healthCode',
  ],
])('refuses a second value of %s at once', async name => {
  const read = await csv(`${name},Time,Value\na,${at(0)},1\nb,${at(1)},2\n`, PLAIN, steps)
  expect(read.error?.message).toMatch(/has 2 values, and line 3 has another/)
})

test.each(['name', 'Code', 'uuid'])(
  'refuses different values of %s with equal times, and reads them otherwise',
  async name => {
    const shared = await csv(`${name},Time,Value\na,${at(0)},1\nb,${at(0)},2\n`, PLAIN, steps)
    expect(shared.error?.message).toMatch(/has 2 values, and line 3 has another/)
    const apart = lines(20, i => `${'ab'[i % 2]},${at(i)},${i}`)
    expect(await csv(`${name},Time,Value\n${apart}\n`, PLAIN, steps)).toMatchObject({ records: 20, error: undefined })
  },
)

test.each([
  'device_id',
  'Source',
  'session_id',
  'unit',
  'count',
  'Device Name',
  'activity',
  'user_notes',
  'Patient Info',
])('reads the values of one person with several values of %s', async name => {
  const rows = lines(20, i => `${'ab'[i % 2]},${at(i)},${i}`)
  expect(await csv(`${name},Time,Value\n${rows}\n`, PLAIN, steps)).toMatchObject({ records: 20, error: undefined })
})

test('suggests a remedy for a column whose name only looks like one for people', async () => {
  const rows = lines(20, i => `${'ab'[i >> 4]},${at(i)},${i}`)
  const read = await csv(`Id,Time,Value\n${rows}\n`, PLAIN, steps)
  expect(read.error?.suggestions.at(-1)).toMatch(/If the column says something else, map it, .*'workout_id=Id'/)
  expect(await csv(`Id,Time,Value\n${rows}\n`, [...PLAIN, 'workout_id=Id'], steps)).toMatchObject({ records: 20 })
})

test.each(['Id', 'subject', 'Account'])('refuses one row of each %s at the same time', async name => {
  const read = await csv(`${name},Time,Value\n1,${at(0)},100\n2,${at(0)},200\n3,${at(0)},300\n`, PLAIN, steps)
  expect(read.error?.message).toMatch(/has 3 values, and line 3 has another/)
  expect(read.samples).toEqual([])
  const few = `1,${at(0)},100\n2,${at(0)},200\n${lines(8, i => `${i + 3},${at(i + 1)},${i}`)}`
  expect(await csv(`${name},Time,Value\n${few}\n`, PLAIN, steps)).toMatchObject({ records: 10, error: undefined })
})

test('reads a column that the caller mapped to another target', async () => {
  const content = `Subject,Time,Value\nrun,${at(0)},1\nrun,${at(1)},2\nride,${at(2)},3\nride,${at(3)},4\n`
  expect((await csv(content, PLAIN, steps)).error?.message).toMatch(/column "Subject"/)
  expect(await csv(content, [...PLAIN, 'workout_id=Subject'], steps)).toMatchObject({ records: 4, error: undefined })
})

test('mentions times without seconds as another possible reason', async () => {
  const read = await csv(`Time,Value\n${lines(120, i => `${at(i / 60).slice(0, 16)},${i}`)}\n`, PLAIN, steps)
  expect(read.error?.message).toMatch(/of more than one person or device, or times that are too coarse/)
  expect(read.error?.suggestions.at(-1)).toMatch(
    /^If all rows are about one person, map the columns that distinguish their times/,
  )
})

test('reads repeated rows, and the hour that a clock change repeats', async () => {
  const repeated = lines(60, i => `${at(i % 30)},${i % 30}`)
  expect((await csv(`Time,Value\n${repeated}\n`, PLAIN, steps)).error).toBeUndefined()
  const night = lines(25 * 60, i => `2025-10-26T${clock(i < 180 ? i : i - 60)},${i}`)
  expect((await csv(`Time,Value\n${night}\n`, PLAIN, { ...steps, timeZone: 'Europe/Berlin' })).error).toBeUndefined()
})

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

test('finds equal times in a file of which only a part can be examined', async () => {
  const rows = lines(130_000, i => `${at(i >> 1)},${i}`)
  const read = await csv(`Time,Value\n${rows}\n`, PLAIN, steps)
  expect(read.error?.message).toMatch(/about 100 %/)
  expect((await csv(`Time,Value\n${lines(130_000, i => `${at(i)},${i}`)}\n`, PLAIN, steps)).error).toBeUndefined()
})

test('refuses objects of several people, also with the ID in a nested object', async () => {
  const flat = lines(4, i => JSON.stringify({ user_id: i % 2, t: at(i), v: i }))
  expect((await ndjson(flat, steps)).error?.message).toMatch(/column "user_id" has 2 values/)
  const inner = lines(4, i => JSON.stringify({ patient: { id: `p${i % 2}` }, t: at(i), v: i }))
  expect((await ndjson(inner, steps)).error?.message).toMatch(/column "patient.id" has 2 values/)
  const fhir = lines(4, i => JSON.stringify({ subject: { reference: `Patient/${i % 2}` }, t: at(i), v: i }))
  expect((await ndjson(fhir, steps)).error?.message).toMatch(/column "subject.reference" has 2 values/)
  const one = await ndjson(inner, { ...steps, where: [{ column: 'patient.id', value: 'p1' }] })
  expect(one.samples.map(({ value }) => value)).toEqual([1, 3])
})

test('reports which column of a condition is missing', async () => {
  const read = await csv(`Id,Time,Value\n1,${at(0)},1\n`, PLAIN, { ...steps, where: [{ column: 'Ids', value: '1' }] })
  expect(read.error?.message).toMatch(/where=Ids: the file has no column of that name\. Did you mean "Id"\?/)
})
