/**
 * The published client of a service with the same interface, unchanged except for its base URL. It parses every response strictly: a
 * missing key or a wrong literal makes it throw.
 */

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { VitalClient, VitalError } from '@tryvital/vital-node'
import { beforeAll, expect, it } from 'vitest'
import { exportXml, record } from '../../connectors/files/exports.ts'
import { Sandbox } from '../../kit/sandbox.ts'
import { type Serving, serve } from '../../kit/serve.ts'

const sandbox = new Sandbox()
let server: Serving
let vital: VitalClient
let userId = ''
const CLIENT_USER_ID = 'app user/1@x'

beforeAll(async () => {
  server = await serve(sandbox, ['--accept-header-prefix', 'vital'])
  vital = new VitalClient({ apiKey: server.api_key, baseUrl: server.url, maxRetries: 0 })
})

/** Returns one steps sample for each minute, enough to fill several pages. */
function stepMinutes(count: number): string {
  const text = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000`
  const minutes = Array.from({ length: count }, (_, i) => Date.UTC(2024, 0, 1) + i * 60_000)
  const type = 'HKQuantityTypeIdentifierStepCount'
  return exportXml(
    minutes.map(ms => record(type, '1', 'count', { startDate: text(ms), endDate: text(ms + 60_000) })).join('\n'),
  )
}

async function refusal(call: Promise<unknown>): Promise<VitalError> {
  const error = await call.then(
    () => new Error('it succeeded'),
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(VitalError)
  return error
}

it('creates a user, and gets the existing user’s ID when it repeats the request', async () => {
  const created = await vital.user.create({ clientUserId: CLIENT_USER_ID, fallbackTimeZone: 'Europe/Berlin' })
  expect(created).toMatchObject({ clientUserId: CLIENT_USER_ID })
  userId = created.userId
  const error = await refusal(vital.user.create({ clientUserId: CLIENT_USER_ID }))
  expect(error.statusCode).toBe(400)
  expect(error.body).toMatchObject({
    user_id: userId,
    created_on: expect.any(String),
    detail: { error_type: 'INVALID_REQUEST', user_id: userId },
  })
})

it('gets and lists users', async () => {
  const user = await vital.user.get(userId)
  expect(user).toMatchObject({ userId, teamId: server.team_id, fallbackTimeZone: { id: 'Europe/Berlin' } })
  expect(await vital.user.getByClientUserId(CLIENT_USER_ID)).toEqual(user)
  const page = await vital.user.getAll({ offset: 0, limit: 10 })
  expect(page).toMatchObject({ total: 1, offset: 0, limit: 10 })
  expect(page.users).toEqual([user])
})

it('reads errors: an unknown user, a malformed ID, a wrong key', async () => {
  expect(await refusal(vital.user.get('00000000-0000-4000-8000-000000000000'))).toMatchObject({ statusCode: 404 })
  expect(await refusal(vital.user.get('x'))).toMatchObject({ statusCode: 422 })
  const stranger = new VitalClient({ apiKey: 'sk_us_nobody', baseUrl: server.url, maxRetries: 0 })
  expect(await refusal(stranger.user.get(userId))).toMatchObject({
    statusCode: 401,
    body: { detail: 'Invalid API key' },
  })
})

const newToken = async (): Promise<string> => (await vital.link.token({ userId })).linkToken

it('links a password provider, with a wrong and then the right password', async () => {
  const issued = await vital.link.token({
    userId,
    redirectUrl: 'https://app.example/done',
    filterOnProviders: ['whoop'],
  })
  expect(issued.linkWebUrl).toBe(`${server.url}/link?token=${encodeURIComponent(issued.linkToken)}`)
  const signIn = (password: string) =>
    vital.link.connectPasswordProvider('whoop', { vitalLinkToken: issued.linkToken, username: 'runner', password })
  expect(await signIn('wrong')).toMatchObject({
    state: 'error',
    errorType: 'provider_credential_error',
    connected: false,
    redirectUrl: 'https://app.example/done',
  })
  expect(await signIn('right')).toMatchObject({ state: 'success', connected: true, provider: 'whoop' })
  expect(await signIn('right')).toMatchObject({ state: 'error', errorType: 'token_consumed' })
})

it('links a provider that asks for a code', async () => {
  const vitalLinkToken = await newToken()
  const linked = await vital.link.connectPasswordProvider('zwift', {
    vitalLinkToken,
    username: 'mfa-sms@sandbox.test',
    password: 'p',
  })
  expect(linked).toMatchObject({ state: 'pending_provider_mfa', providerMfa: { method: 'sms' } })
  const complete = (mfaCode: string) => vital.link.completePasswordProviderMfa('zwift', { vitalLinkToken, mfaCode })
  expect(await complete('000000')).toMatchObject({ state: 'error', errorType: 'incorrect_mfa_code' })
  expect(await complete('123456')).toMatchObject({ state: 'success', connected: true })
})

it('needs a region if the provider has regions', async () => {
  const vitalLinkToken = await newToken()
  const body = { vitalLinkToken, username: 'me', password: 'p' }
  expect(await refusal(vital.link.connectPasswordProvider('abbott_libreview', body))).toMatchObject({ statusCode: 422 })
})

it('lists the connected providers', async () => {
  const { providers = [] } = await vital.user.getConnectedProviders(userId)
  expect(providers.map(each => [each.slug, each.status])).toEqual([
    ['whoop', 'connected'],
    ['zwift', 'connected'],
  ])
  expect((await vital.user.get(userId)).connectedSources.map(each => each.source.slug)).toEqual(['whoop', 'zwift'])
})

it('reads steps page by page to the end, each sample once and in time order', async () => {
  writeFileSync(path.join(sandbox.folder, 'steps.xml'), stepMinutes(11_000))
  await sandbox.json(['import', 'steps.xml', '--user', userId])
  const range = { startDate: '2020-01-01', endDate: '2099-12-31' }
  const seen = new Map<string, number>()
  const firsts: number[] = []
  let nextCursor: string | undefined
  let pages = 0
  do {
    const page = await vital.vitals.stepsGrouped(userId, { ...range, nextCursor })
    const samples = Object.entries(page.groups).flatMap(([provider, groups]) =>
      groups.flatMap(group => group.data.map(sample => ({ provider, ...sample }))),
    )
    for (const sample of samples) {
      expect(sample.unit).toBe('count')
      const key = `${sample.provider} ${sample.start.toISOString()}`
      expect(seen.has(key), key).toBe(false)
      seen.set(key, sample.value)
    }
    const times = samples.map(sample => sample.start.getTime())
    firsts.push(Math.min(...times), Math.max(...times))
    nextCursor = page.nextCursor
    pages++
  } while (nextCursor !== undefined && pages < 100)
  expect(pages).toBeGreaterThan(2)
  expect(seen.size).toBeGreaterThan(1_000)
  expect(firsts).toEqual([...firsts].sort((a, b) => a - b))
  const oneProvider = await vital.vitals.stepsGrouped(userId, { ...range, provider: 'zwift' })
  expect(Object.keys(oneProvider.groups)).toEqual(['zwift'])
})

it('reads the summaries of every kind, and the streams of a workout and a night', async () => {
  const range = { startDate: '2020-01-01' }
  const { activity } = await vital.activity.get(userId, { ...range, provider: 'whoop' })
  expect(activity.length).toBeGreaterThan(20)
  expect(activity[0]).toMatchObject({ userId, source: { provider: 'whoop', type: 'watch' } })
  const { sleep } = await vital.sleep.get(userId, range)
  const { sleepCycle } = await vital.sleepCycle.get(userId, range)
  expect(sleepCycle.map(each => each.sleepId).sort()).toEqual(sleep.map(each => each.id).sort())
  const { workouts } = await vital.workouts.get(userId, { ...range, provider: 'zwift' })
  const [workout] = workouts
  if (!workout) throw new Error('no workouts')
  const stream = await vital.workouts.getByWorkoutId(workout.id)
  expect(stream.time?.[0]).toBe(workout.timeStart.getTime() / 1000)
  expect(stream.heartrate).toHaveLength(stream.time?.length ?? 0)
  expect(stream.resistance).toEqual([])
  const night = await vital.sleep.getStreamBySleepId(sleep[0]?.id ?? '')
  expect(night.heartrate?.length).toBeGreaterThan(20)
  expect(night.hypnogram?.[0]).toMatchObject({ start: sleep[0]?.bedtimeStart, unit: 'stage' })
  expect(await refusal(vital.workouts.getByWorkoutId(userId))).toMatchObject({ statusCode: 404 })
  // only some providers supply these kinds
  expect(await vital.profile.get(userId)).toMatchObject({ userId, source: { provider: 'whoop' } })
  expect(await vital.meal.get(userId, range)).toEqual({ meals: [] })
  expect(await vital.body.get(userId, range)).toEqual({ body: [] })
  expect(await vital.electrocardiogram.get(userId, range)).toEqual({ electrocardiogram: [] })
  expect((await vital.menstrualCycle.get(userId, range)).menstrualCycle).toBeInstanceOf(Array)
})

it('runs an aggregate query', async () => {
  const anchor = new Date().toISOString().slice(0, 10)
  const { results } = await vital.aggregate.queryOne(userId, {
    timeframe: { type: 'relative', anchor, past: { unit: 'week', value: 2 } },
    queries: [
      {
        select: [{ groupKey: '*' }, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
        groupBy: [{ dateTrunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
      },
      { select: [{ func: 'mean', arg: { sleep: 'efficiency' } }] },
    ],
  })
  expect(results).toHaveLength(2)
  const days = results[0]?.table['group_key.0'] ?? []
  expect(days.length).toBeGreaterThanOrEqual(13)
  expect(results[0]?.table['sum']).toHaveLength(days.length)
  expect(results[1]?.table['mean']).toHaveLength(1)
})

it('lists labs and markers', async () => {
  const labs = await vital.labTests.getLabs()
  expect(labs.length).toBeGreaterThan(0)
  const page = await vital.labTests.getMarkers({ page: 1, size: 5 })
  expect(page).toMatchObject({ page: 1, size: 5 })
  expect(page.markers).toHaveLength(5)
  const lab = labs.find(each => page.markers.some(marker => marker.labId === each.id))
  const two = labs.slice(0, 2).map(each => each.id)
  const ofLabs = await vital.labTests.getMarkers({ labId: two, size: 100 })
  expect(lab).toBeDefined()
  for (const marker of ofLabs.markers) expect(two).toContain(marker.labId)
})

it('lists the providers of the service', async () => {
  const all = await vital.providers.getAll()
  expect(all.map(each => each.slug)).toEqual(expect.arrayContaining(['whoop', 'abbott_libreview', 'oura']))
})

it('deletes a user and restores it', async () => {
  expect(await vital.user.delete(userId)).toEqual({ success: true })
  expect(await refusal(vital.user.get(userId))).toMatchObject({ statusCode: 404 })
  expect(await vital.user.undoDelete({ clientUserId: CLIENT_USER_ID })).toEqual({ success: true })
  expect(await vital.user.get(userId)).toMatchObject({ userId, connectedSources: [] })
  const error = await refusal(vital.user.undoDelete({ userId }))
  expect(error).toMatchObject({ statusCode: 400, body: { detail: { error_type: 'INVALID_REQUEST' } } })
})
