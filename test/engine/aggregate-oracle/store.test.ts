/** The engine on a real store folder, with packed chunks and replaced samples, compared with the plain evaluator. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import type { Store } from '../../../src/store/port.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { times } from '../../kit/effort.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { seed } from '../../kit/seed.ts'
import { writing } from '../../store/user-store.ts'
import { expectAgreement } from './agreement.ts'
import { sampleCase, summaryCase } from './arbitraries/data-arbitrary.ts'
import { asked, plainQuery, summaryTable, timeseries } from './arbitraries/query-arbitrary.ts'
import { USER_ID } from './arbitraries/summary-arbitrary.ts'
import type { PlainData, PlainSummary } from './data.ts'
import { storedSummary, toBatches } from './source.ts'

const TEAM = '11111111-1111-4111-8111-111111111111' as TeamId
const [FIRST, SECOND] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]

async function emptyStore(): Promise<Store> {
  const store = openSqliteStore({ folder: openDataFolder(temporaryFolder()), waitForLock: 'blocking' })
  await store.teams.local(async () => ({
    teamId: TEAM,
    name: 'local',
    createdOn: 0,
    rejectDuplicateConnection: false,
  }))
  await store.users.create({
    ...{ userId: USER_ID as UserId, teamId: TEAM, clientUserId: 'a', createdOn: 0 },
    ...{ fallbackTimeZone: null, fallbackBirthDate: null, ingestionStart: null, ingestionEnd: null, deletedAt: null },
  })
  return store
}

/** Returns a store with the data, written in two parts, so that the second replaces some samples and summaries. */
async function fillStore({ samples, summaries }: PlainData): Promise<Store> {
  const store = await emptyStore()
  const halves = [
    [samples.slice(0, samples.length / 2), summaries.slice(0, summaries.length / 2), FIRST],
    [samples.slice(samples.length / 2), summaries.slice(summaries.length / 2), SECOND],
  ] as const
  for (const [some, others, at] of halves) {
    const records = [...new Map(others.map(each => [`${each.kind} ${each.id}`, each])).values()]
    const more = { at, teamId: TEAM, summaries: records.map(storedSummary) }
    await store.data.write(USER_ID as UserId, writing(toBatches(some), more))
  }
  return store
}

/** Returns the data with the store's timestamps: when each summary first arrived and when it last changed. */
function stamped(data: PlainData): PlainData {
  const middle = Math.floor(data.summaries.length / 2)
  const last = (list: readonly PlainSummary[]) => new Map(list.map(each => [`${each.kind} ${each.id}`, each]))
  const [before, after] = [last(data.summaries.slice(0, middle)), last(data.summaries.slice(middle))]
  const text = ({ createdMs: _, updatedMs: __, ...each }: PlainSummary) => JSON.stringify(each)
  const summaries = [...new Map([...before, ...after])].map(([key, each]) => {
    const old = before.get(key)
    const changed = after.has(key) && (!old || text(old) !== text(each))
    return { ...each, createdMs: old ? FIRST : SECOND, updatedMs: changed ? SECOND : FIRST }
  })
  return { ...data, summaries }
}

let cases = 0

const asks = fc.oneof(sampleCase, summaryCase).chain(({ base, data }) => {
  const tables = ['sleep', 'activity', 'workout', 'profile', 'body', 'menstrual_cycle', 'derived_readiness']
  const words =
    data.summaries.length > 0
      ? tables.map(table => summaryTable(table, base))
      : [timeseries([...new Set(data.samples.map(each => each.resource))], base)]
  const call = fc.record({
    asked: asked(base),
    queries: fc.array(fc.oneof(...words.map(plainQuery)), { minLength: 6, maxLength: 12, size: 'max' }),
  })
  return fc.record({ data: fc.constant(data), call })
})

test('agrees about the content of a store folder', { timeout: 600_000 }, async () => {
  const open: Store[] = []
  const property = fc.asyncProperty(asks, async ({ data, call: { asked, queries } }) => {
    const expected = stamped(data)
    const sources = async (each: PlainData) => {
      const store = await fillStore(each === expected ? data : each)
      open.push(store)
      return store
    }
    await expectAgreement(expected, sources, queries, asked)
    cases += queries.length
    for (const store of open.splice(0)) await store.close()
  })
  const { failed, errorInstance, counterexamplePath } = await fc.check(property, {
    ...{ seed, numRuns: times(16), endOnFailure: true },
  })
  for (const store of open.splice(0)) await store.close()
  if (failed) throw new Error(`seed ${seed}, path ${counterexamplePath}: ${(errorInstance as Error).message}`)
  expect(cases).toBeGreaterThanOrEqual(96)
})
