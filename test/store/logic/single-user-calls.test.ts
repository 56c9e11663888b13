/**
 * A call about one user reads and changes only rows of that user and of the team, so that in a store on several machines it does not depend
 * on the others. The store claims to be on another machine here.
 */
import { expect, it, vi } from 'vitest'
import { perform, type Step, type Steps, type StoreFacts, through } from '../../../src/store/logic/steps.ts'
import { ownerOf } from '../../../src/store/postgres/cluster/shard-map.ts'
import { StepRunner } from '../../../src/store/sqlite/step-runner.ts'
import { USER_TABLES } from '../../../src/store/tables/catalogue.ts'
import { inBytes } from '../../engine/links/linked-user.ts'
import { openHarness } from '../../kit/harness.ts'
import { neutral, tablesOfAnyUser } from './statements.ts'

const DAY = '2026-11-19'
/** Tables whose rows are on the machine of their team. */
const OF_TEAMS = USER_TABLES.filter(({ owner }) => owner === 'team').map(({ name }) => name)
/** Statements that run only in a store on one machine, although this one claims otherwise. */
const ON_ONE_MACHINE = ['SELECT max(arrival) AS last FROM outbox WHERE team_id=?']

function textsOfAnyUser(step: Step): string[] {
  if (step.kind === 'together') return step.steps.flatMap(textsOfAnyUser)
  if (!('statement' in step)) return []
  const text = neutral(step.statement.text)
  const tables = tablesOfAnyUser(text).filter(table => !OF_TEAMS.includes(table))
  // a cluster refuses such statements while any of its machines is down
  const isAnywhere = ownerOf(step.statement.text, step.values) === 'anywhere'
  return (tables.length > 0 || isAnywhere) && !ON_ONE_MACHINE.some(known => text.includes(known)) ? [text] : []
}

it('asks for rows of no other user', async () => {
  const found = new Map<string, string[]>()
  let current = ''
  const { drive } = StepRunner.prototype
  const spy = vi.spyOn(StepRunner.prototype, 'drive').mockImplementation(function <T>(
    this: StepRunner,
    steps: Steps<T>,
  ) {
    const watched = through(steps, function* (step) {
      const texts = textsOfAnyUser(step)
      if (texts.length > 0) found.set(current, [...(found.get(current) ?? []), ...texts])
      const result = yield* perform(step)
      if (step.kind !== 'facts') return result
      return { ...(result as StoreFacts), isRemote: true } satisfies StoreFacts // the result type for this kind of step
    })
    return drive.call(this, watched) as T // `call` loses the type of the transaction
  })
  const h = await openHarness()
  let keys = 0
  const keyed = () => ({ headers: { 'x-idempotency-key': `${++keys}` } })
  const about = <T>(name: string, call: () => Promise<T>): Promise<T> => {
    current = name
    return call()
  }
  const { user_id } = await about('create', () => h.call('user.create', { body: { client_user_id: 'ada' } }, keyed()))
  const params = { user_id }
  const samples = (value: number) =>
    inBytes({ samples: [{ resource: 'heartrate', timestamp: `${DAY}T10:00:00Z`, value }] })
  await about('push', () => h.call('samples.push', { params, body: samples(60) }))
  await about('keyed push', () => h.call('samples.push', { params, body: samples(61) }, keyed()))
  await about('user', () => h.call('user.get', { params }))
  await about('name', () => h.call('user.resolve', { params: { client_user_id: 'ada' } }))
  await about('info', () => h.refusal('user.info', { params }))
  await about('patch', () => h.call('user.patch', { params, body: { client_user_id: 'bea' } }, keyed()))
  await about('page', () =>
    h.call('timeseries.grouped', {
      params: { ...params, resource: 'heartrate' },
      query: { start_date: DAY, end_date: DAY },
    }),
  )
  await about('devices', () => h.call('user.devices', { params }))
  await about('token', () => h.call('user.sign_in_token', { params }, keyed()))
  await about('delete', () => h.call('user.delete', { params }))
  spy.mockRestore()
  expect(Object.fromEntries(found)).toEqual({})
  await h.engine.close()
})
