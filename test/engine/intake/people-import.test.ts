/** Tables of several users: each user's rows are one import, and a table for one user is not mixed with others. */

import { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import type { ByteSource } from '../../../src/contract/kernel/operation.ts'
import { dailyActivity, studyId } from '../../connectors/files/study-tables.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

let service: Harness

beforeEach(async () => {
  service = await openHarness()
})

const table = (content: string): ByteSource => ({ kind: 'stream', stream: Readable.from([Buffer.from(content)]) })
const STUDY = dailyActivity({ people: 34, days: 3 }).concat(',4/13/2016,1,1\r\n')
const COLUMNS = { user: 'Id', start: 'ActivityDate', value: 'TotalSteps' }
const mapped = (more: object = {}, columns: object = COLUMNS): string =>
  JSON.stringify({ columns, resource: 'steps', ...more })
const load = (query: object = {}, content = STUDY) =>
  service.call('imports.create', { query: { mapping: mapped(), ...query } as never, body: table(content) })
const refusal = (query: object = {}, content = STUDY) =>
  service.refusal('imports.create', { query: { mapping: mapped(), ...query } as never, body: table(content) })
const addUser = async (person: number): Promise<string> =>
  (await service.call('user.create', { body: { client_user_id: studyId(person) } })).user_id

async function readSteps(client_user_id: string): Promise<unknown[]> {
  const { user_id } = await service.call('user.resolve', { params: { client_user_id } })
  const query = { start_date: '2016-01-01', end_date: '2017-01-01' }
  const { groups } = await service.call('timeseries.grouped', { params: { user_id, resource: 'steps' }, query })
  return Object.values(groups)
    .flat()
    .flatMap(({ data }) => data.map(each => (each as { value?: unknown }).value))
}

test('imports each value for the user with that client user ID, as an import that can be undone', async () => {
  const report = await load({ create_users: true })
  expect(report).toMatchObject({ users: 34, users_created: 34, records: 34 * 3 + 1, dry_run: false })
  expect(report.skipped).toEqual([{ reason: 'a row names no user', count: 1, places: ['line 104'] }])
  expect(report.imports).toHaveLength(34)
  expect(report.imports[33]).toMatchObject({ records: 3, skipped: [], date_order: { order: 'mdy' } })
  expect(await readSteps(studyId(0))).toEqual([9000, 9001, 9002])
  expect(await readSteps(studyId(33))).toEqual([12_300, 12_301, 12_302])
  await service.call('import.undo', { params: { import_id: report.imports[0]?.import_id ?? '' } })
  expect(await readSteps(studyId(0))).toEqual([])
  expect(await readSteps(studyId(33))).toHaveLength(3)
  const again = await load()
  expect(again).toMatchObject({ users: 34, users_created: 0 })
  expect(again.imports[33]?.stored).toEqual({ steps: { samples: 3, replaced: 0, unchanged: 3 } })
})

test('stores nothing while a client user ID is unknown, and does not repeat it', async () => {
  await addUser(0)
  const error = await refusal()
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('33 of the 34 values') })
  expect(error.message).toMatch(/first in line 5, line 8, line 11 …/)
  expect(JSON.stringify([error.message, error.suggestions])).not.toContain(studyId(1))
  expect(await readSteps(studyId(0))).toEqual([])
})

test('counts the people in a dry run, and creates no user', async () => {
  await addUser(0)
  const report = await load({ dry_run: true, create_users: true })
  expect(report).toMatchObject({ users: 34, users_created: 33, dry_run: true })
  expect(report.imports).toMatchObject([{ import_id: null, dry_run: true, stored: { steps: { samples: 3 } } }])
  expect((await service.call('user.list', { query: {} })).total).toBe(1)
  expect(await readSteps(studyId(0))).toEqual([])
})

test('lists the stored imports when a later one fails', async () => {
  const team = await service.call('team.update', {
    params: { team_id: service.team.teamId },
    body: { max_users: 2 } as never,
  })
  expect(team).toBeTruthy()
  const error = await refusal({ create_users: true })
  expect(error).toMatchObject({ code: 'quota_exceeded' })
  expect(error.message).toMatch(
    /The rows of 2 of 34 users were imported before that, as [0-9a-f-]{36}, [0-9a-f-]{36}\./,
  )
  expect((await service.call('import.list', { query: {} })).imports).toHaveLength(2)
})

test('selects rows before it looks for users', async () => {
  await addUser(2)
  const report = await load({ mapping: mapped({ where: { Id: studyId(2) } }) })
  expect(report).toMatchObject({ users: 1, records: 34 * 3 + 1 })
  expect(report.skipped[0]).toMatchObject({ reason: 'a row is not selected', count: 33 * 3 + 1 })
})

test('skips a user without usable rows, and refuses a table without any', async () => {
  const rows = (value: string): string => `Id,ActivityDate,TotalSteps\na,2016-04-13,${value}\nb,2016-04-13,none\n`
  const report = await load({ create_users: true }, rows('12'))
  expect(report).toMatchObject({ users: 2, users_created: 1, imports: [{ records: 1 }] })
  const error = await refusal({ create_users: true }, rows('none'))
  expect(error).toMatchObject({ code: 'invalid_file', message: expect.stringContaining('All of its 2 records') })
})

test('refuses a user column in an import for one user, and an import of several without one', async () => {
  const user_id = await addUser(0)
  const query = { mapping: mapped() } as never
  const one = await service.refusal('import.create', { params: { user_id }, query, body: table(STUDY) })
  expect(one.message).toMatch(/user cannot be mapped in an import for one user/)
  const several = await refusal({ mapping: mapped({}, { start: 'ActivityDate', value: 'TotalSteps' }) })
  expect(several.message).toMatch(/must be mapped to user/)
  expect((await refusal({}, '<?xml version="1.0"?><gpx></gpx>')).code).toMatch(/invalid/)
})

test('refuses a table of several people for one user, and stores nothing', async () => {
  const user_id = await addUser(0)
  const query = { mapping: mapped({}, { start: 'ActivityDate', value: 'TotalSteps' }) } as never
  const error = await service.refusal('import.create', { params: { user_id }, query, body: table(STUDY) })
  expect(error).toMatchObject({ code: 'invalid_file', message: expect.stringContaining('34 values') })
  expect(await readSteps(studyId(0))).toEqual([])
})
