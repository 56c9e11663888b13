/** `svc import` of a table of several people: refused for one user, read row by row with --where, or imported for every user. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { dailyActivity, studyId } from '../../connectors/files/study-tables.ts'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { expectRefusal } from '../../kit/refusal.ts'

let sandbox: InProcessSandbox
const COLUMNS = ['--map', 'start=ActivityDate', '--map', 'value=TotalSteps', '--resource', 'steps']
const load = (...flags: string[]) => sandbox.run(['import', 'study.csv', ...COLUMNS, ...flags])

beforeEach(async () => {
  sandbox = new InProcessSandbox()
  await sandbox.json(['user', 'create', 'ada'])
  writeFileSync(path.join(sandbox.folder, 'study.csv'), dailyActivity({ people: 34, days: 28 }))
})

test('is refused for one user, with a remedy', async () => {
  const refused = await load('--user', 'ada')
  expectRefusal(refused, 2, /its column "Id" has 34 values/)
  expect(refused.stderr).toContain("--where 'Id=VALUE'")
  expect(refused.stderr).toContain("--map 'user=Id'")
  const json = await load('--user', 'ada', '--json')
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'invalid_file', category: 'usage' } })
})

test('is read for one person with --where', async () => {
  const flags = ['--user', 'ada', '--where', `Id=${studyId(3)}`, '--json']
  expect(JSON.parse((await load(...flags)).stdout)).toMatchObject({
    records: 952,
    stored: { steps: { samples: 28 } },
    skipped: [{ reason: 'a row is not selected', count: 924 }],
  })
  expectRefusal(await load('--user', 'ada', '--where', 'Id'), 2, /--where must be COLUMN=VALUE, such as Id=123/)
  expectRefusal(await load('--user', 'ada', '--where', 'Id=1'), 2, /All of its 952 records were skipped/)
})

test('is imported for every user with --map user=Id, after a dry run that counts them', async () => {
  expectRefusal(await load('--map', 'user=Id'), 2, /34 of the 34 values .* are not client user IDs of this team/)
  const dry = await load('--map', 'user=Id', '--create-users', '--dry-run')
  expect(dry.stderr).toContain('34 users, 34 of them to be created; 952 records')
  const done = await load('--map', 'user=Id', '--create-users', '--output', 'csv')
  expect(done.stdout.split('\n')[0]).toBe('user,records,samples,replaced,unchanged,skipped,import_id')
  expect(done.stderr).toContain('34 users, 34 of them created; 952 records')
  const user = await sandbox.json(['user', 'get', studyId(33)])
  expect(user).toMatchObject({ client_user_id: studyId(33) })
})

test('is undone by one command, even if one of its imports is already undone', async () => {
  const done = await load('--map', 'user=Id', '--create-users', '--json')
  const ids = (JSON.parse(done.stdout) as { imports: { import_id: string }[] }).imports.map(each => each.import_id)
  await sandbox.json(['import', 'undo', ids[1] as string])
  const undone = await sandbox.run(['import', 'undo', ...ids, '--json'])
  expect(undone.status).toBe(5)
  expect(JSON.parse(undone.stdout).imports).toHaveLength(33)
  expect(undone.stderr).toContain('33 of 34 imports were undone.')
  const get = [
    'timeseries',
    'get',
    studyId(33),
    'steps',
    '--start',
    '2016-01-01',
    '--end',
    '2027-01-01',
    '--output',
    'csv',
  ]
  expect((await sandbox.run(get)).stdout.trim().split('\n')).toHaveLength(1)
})

test('requires exactly one flag that assigns the data to users', async () => {
  expectRefusal(await load(), 2, /--user is missing\. For a table of several users, use --map user=COLUMN instead\./)
  expectRefusal(await load('--user', 'ada', '--map', 'user=Id'), 2, /Use one of them/)
  expectRefusal(await load('--user', 'ada', '--create-users'), 2, /--map user=COLUMN/)
  const json = await load('--user', 'ada', '--create-users', '--json')
  expect(JSON.parse(json.stderr).error).toMatchObject({
    message: '--create-users is for tables of several users.',
    suggestions: ['Name their column with --map user=COLUMN.'],
  })
})
