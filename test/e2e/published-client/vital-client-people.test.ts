/** The published client with users, their info, devices and insurance, every way of linking, and every timeseries. */
import { beforeAll, expect, it } from 'vitest'
import { RESOURCES, type TimeseriesResource } from '../../../src/catalogue/resources.ts'
import { refusal, type VitalService, vitalService } from './vital-service.ts'

let service: VitalService
let userId = ''
const ADDRESS = { firstLine: '1 Engine Way', country: 'US', zip: '62701', city: 'Springfield', state: 'IL' }
const PERSON = { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com', phoneNumber: '+1 555 010 0199' }

beforeAll(async () => {
  service = await vitalService()
  userId = (await service.vital.user.create({ clientUserId: 'ada' })).userId
})

const token = async (of = userId): Promise<string> => (await service.vital.link.token({ userId: of })).linkToken
const another = async (name: string): Promise<string> =>
  (await service.vital.user.create({ clientUserId: name })).userId

it('changes, finds and counts users', async () => {
  const { vital } = service
  await vital.user.patch(userId, { fallbackTimeZone: 'Europe/Berlin', ingestionStart: '2020-01-01' })
  expect(await vital.user.get(userId)).toMatchObject({
    fallbackTimeZone: { id: 'Europe/Berlin', sourceSlug: 'manual' },
  })
  const other = await another('bob')
  expect(await refusal(vital.user.patch(other, { clientUserId: 'ada' }))).toMatchObject({ statusCode: 409 })
  const found = await vital.team.getUserById({ queryId: 'ad' })
  expect(found.map(each => each.clientUserId)).toEqual(['ada'])
  expect(await vital.user.getTeamMetrics()).toMatchObject({ numberOfUsers: 2 })
  expect((await vital.user.getUserSignInToken(userId)).signInToken).toBeTruthy()
})

it('stores profile info and insurance', async () => {
  const { vital } = service
  expect(await refusal(vital.user.getLatestUserInfo(userId))).toMatchObject({
    statusCode: 404,
    body: { detail: 'User demographics data not found' },
  })
  const info = { ...PERSON, gender: 'female', dob: '1985-12-10', address: ADDRESS, race: 'asian' as const }
  expect(await vital.user.upsertUserInfo(userId, info)).toMatchObject({ ...PERSON, race: 'asian' })
  expect(await vital.user.getLatestUserInfo(userId)).toMatchObject({ dob: '1985-12-10', address: { zip: '62701' } })
  const wrong = await refusal(vital.user.upsertUserInfo(userId, { ...info, phoneNumber: '1', email: 'x' }))
  expect(wrong.statusCode).toBe(422)
  const insured = { ...PERSON, gender: 'female' as const, dob: '1985-12-10', address: ADDRESS }
  const insurance = { payorCode: 'AETNA', memberId: 'A1', relationship: 'Self' as const, insured }
  expect(await vital.user.createInsurance(userId, insurance)).toMatchObject({ payorCode: 'AETNA' })
  expect(await vital.user.getLatestInsurance(userId, { isPrimary: true })).toMatchObject({ memberId: 'A1' })
})

it('links by e-mail, with a consent page and as a demo', async () => {
  const { vital } = service
  const vitalLinkToken = await token()
  const providers = await vital.link.getAllProviders({ vitalLinkToken })
  expect(providers.map(each => each.slug)).toEqual(expect.arrayContaining(['whoop', 'oura', 'freestyle_libre']))
  const consent = await vital.link.generateOauthLink('oura', { vitalLinkToken })
  expect(consent.oauthUrl).toContain(`${service.url}/oauth/oura?state=`)
  const linked = await vital.link.connectEmailAuthProvider('freestyle_libre', {
    vitalLinkToken,
    email: 'ada@example.com',
    region: 'eu',
  })
  expect(linked).toMatchObject({ state: 'success' })
  expect(await refusal(vital.link.connectDemoProvider({ userId, provider: 'oura' }))).toMatchObject({ statusCode: 400 })
  const demo = await another('demo')
  expect(await vital.link.connectDemoProvider({ userId: demo, provider: 'oura' })).toMatchObject({ success: true })
  const { activity } = await vital.activity.get(demo, { startDate: '2020-01-01' })
  expect(activity.length).toBeGreaterThan(20)
})

it('refreshes, and shows the pulls and each device’s data', async () => {
  const { vital } = service
  await vital.link.connectPasswordProvider('whoop', {
    vitalLinkToken: await token(),
    username: 'ada',
    password: 'p',
  })
  expect(await vital.user.refresh(userId, { timeout: 10 })).toMatchObject({ success: true, userId, failedSources: [] })
  expect(await refusal(vital.user.refresh(await another('nothing')))).toMatchObject({
    statusCode: 400,
    body: { success: false },
  })
  const { data } = await vital.introspect.getUserResources({ userId, provider: 'whoop' })
  expect(data[0]).toMatchObject({ userId })
  const pulls = await vital.introspect.getUserHistoricalPulls({ userId })
  expect(pulls.data[0]).toMatchObject({ userId })
  const devices = await vital.user.getDevices(userId)
  const [device] = devices.filter(each => each.provider === 'whoop')
  expect(await vital.user.getDevice(userId, device?.id ?? '')).toEqual(device)
  expect(await vital.user.deregisterProvider(userId, 'whoop')).toEqual({ success: true })
  expect((await vital.user.get(userId)).connectedSources.map(each => each.source.slug)).not.toContain('whoop')
})

it('reads and sets source priorities', async () => {
  const { vital } = service
  expect(await vital.team.getSourcePriorities({ dataType: 'workouts' })).toEqual([])
})

it('reads the result of a continuous query', async () => {
  const { vital } = service
  await service.own('POST', '/svc/v1/aggregate/continuous_query', {
    slug: 'steps',
    title: 'Steps',
    query: {
      select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { placeholder: true } }],
    },
  })
  expect(await vital.aggregate.getResultTableForContinuousQuery(userId, 'steps')).toHaveProperty('table')
  const history = await vital.aggregate.getTaskHistoryForContinuousQuery(userId, 'steps', { limit: 5 })
  expect(history.data).toBeInstanceOf(Array)
})

const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const DAY = '2026-11-10'

/** Returns a sample as an application pushes it, with the fields that its resource needs. */
function exampleSample({ name, kind, shape, discriminator }: TimeseriesResource): object {
  const type = discriminator?.[0]
  return {
    resource: name,
    timestamp: `${DAY}T08:00:00+00:00`,
    ...(kind === 'interval' ? { end: `${DAY}T08:01:00+00:00` } : {}),
    ...(type === undefined ? {} : { type }),
    ...(shape === 'blood_pressure' ? { systolic: 120, diastolic: 80 } : { value: shape === 'text' ? 'a note' : 1 }),
  }
}

it('reads every timeseries with its unit', async () => {
  const served = RESOURCES.filter(each => each.deprecation === undefined)
  await service.own('POST', `/svc/v1/users/${userId}/samples`, served.map(exampleSample))
  type Read = (userId: string, query: { startDate: string; endDate: string }) => PromiseLike<{ groups: object }>
  const { vitals } = service.vital
  const methods = vitals as unknown as Readonly<Record<string, Read | undefined>>
  for (const { name } of RESOURCES) {
    const method = methods[`${camel(name)}Grouped`]
    expect(method, `no method for ${name}`).toBeDefined()
    const call = method?.call(vitals, userId, { startDate: DAY, endDate: DAY })
    if (!served.some(each => each.name === name)) {
      expect(await refusal(call as PromiseLike<unknown>)).toMatchObject({ statusCode: 410 })
      continue
    }
    const page = await call
    const samples = Object.values(page?.groups ?? {}).flatMap(groups =>
      groups.flatMap((group: { data: object[] }) => group.data),
    )
    expect(samples.length, name).toBeGreaterThan(0)
  }
})
