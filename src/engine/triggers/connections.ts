/** Causes connection and device events: a sandbox link, a failure, or a device reported by a link. */
import { isLinkable, type Provider } from '../../catalogue/providers.ts'
import { splitScopes } from '../../catalogue/resource-availability.ts'
import { connectionFailure } from '../../contract/links/provider.ts'
import { ownedId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import type { EpochMs } from '../../core/time.ts'
import type { NewDevice } from '../../store/data-write.ts'
import { failConnection, listUserConnections } from '../connections/connections.ts'
import { HISTORY_DAYS } from '../connections/pulls.ts'
import { bringAccount } from '../links/account.ts'
import { type Cause, cannot, type TriggerCause } from './cause.ts'
import { badPath, givenText, refuseGiven } from './given.ts'

/** Creates a connection, or restores one that has failed or is paused. */
export const makeConnection: Cause = async wanted => {
  const { engine, user, given, count } = wanted
  refuseGiven(given, ['data.provider.slug', 'data.external_user_id'])
  const named = givenText(given, 'provider', 'slug')
  for (let i = 0; i < count; i++) {
    const connections = await listUserConnections(engine, user.userId)
    const whole = connections.filter(each => each.status === 'connected').map(each => each.provider)
    const broken = connections.filter(each => each.status !== 'connected').map(each => each.provider)
    if (named !== undefined && whole.includes(named)) {
      throw cannot(
        `The user is already connected to ${named}.`,
        'Choose another provider, or disconnect this one first.',
      )
    }
    const slug =
      named ?? broken[0] ?? engine.providers.all.find(each => isLinkable(each) && !whole.includes(each.slug))?.slug
    if (slug === undefined) throw cannot('The user is connected to every provider that can be linked.')
    const provider = engine.providers.find(slug)
    if (!provider || !isLinkable(provider)) {
      throw badPath(
        'data.provider.slug',
        'must be a provider that can be linked. `svc provider list` shows the providers',
      )
    }
    await linkAccount(wanted, provider, { until: wanted.call.now })
  }
}

/** Links an account in the same way as a sign-in, with every scope granted. */
export async function linkAccount(
  wanted: TriggerCause,
  provider: Provider,
  backfill: { readonly until: EpochMs; readonly resources?: readonly string[] },
): Promise<void> {
  const { engine, user, given, call } = wanted
  const name = givenText(given, 'external_user_id') ?? ownedId(user.userId, 'account', provider.slug)
  const scopes = provider.scopes.map(each => each.name)
  const consent = provider.authType === 'oauth' ? splitScopes(provider.scopes, scopes) : null
  const outcome = await bringAccount(
    engine,
    { user, provider, name, region: null, consent },
    { at: call.now, since: call.now, days: HISTORY_DAYS, consumeToken: null, ...backfill },
  )
  switch (outcome.kind) {
    case 'written':
      return
    case 'demo_user':
      throw cannot('The user has a demo connection, and cannot have a real one.', 'Use another user.')
    case 'account_taken':
      throw cannot(
        'This account is connected to another user of the team.',
        'Choose another account with data.external_user_id.',
      )
    case 'token_consumed':
      throw new Error('a link without a token must not consume one')
  }
}

/** Makes the selected connection fail as often as requested. Defaults to the newest connection. */
export const breakConnection: Cause = async ({ engine, call, user, given, count }) => {
  refuseGiven(given, ['data.provider', 'data.error_type', 'data.message'])
  const connections = await listUserConnections(engine, user.userId)
  const newest = connections.findLast(each => each.status === 'connected') ?? connections.at(-1)
  const slug = givenText(given, 'provider') ?? newest?.provider
  if (slug === undefined) {
    throw cannot(
      'The user has no connection that could fail.',
      'Create one first: svc event trigger provider.connection.created --user USER',
    )
  }
  const message = givenText(given, 'message')
  const failure = connectionFailure().safeParse({
    error_type: givenText(given, 'error_type') ?? 'token_refresh_failed',
    ...(message === undefined ? {} : { error_message: message }),
  })
  if (!failure.success) {
    const [issue] = failure.error.issues
    throw badPath(
      issue?.path[0] === 'error_type' ? 'data.error_type' : 'data.message',
      issue?.message ?? 'is not valid',
    )
  }
  for (let i = 0; i < count; i++) {
    await failConnection(
      engine,
      { params: { user_id: user.userId, provider: slug }, query: {}, body: failure.data },
      call,
    )
  }
}

const DEVICE_PATHS = ['provider', 'source_type', 'app_id', 'device_manufacturer', 'device_model', 'device_version']
const GARMIN = {
  provider: 'garmin',
  sourceType: 'watch',
  appId: null,
  manufacturer: 'Garmin',
  model: 'Forerunner 265',
  version: '20.26',
}

/** Adds new devices. */
export const addDevice: Cause = async wanted => {
  refuseGiven(
    wanted.given,
    DEVICE_PATHS.map(name => `data.${name}`),
  )
  for (let i = 0; i < wanted.count; i++) {
    const deviceId = ownedId(wanted.user.userId, 'device', randomUuid(wanted.engine.random))
    await announceDevice(wanted, withGiven(wanted, { deviceId, ...GARMIN }))
  }
}

/** Changes the newest device, by giving it another version unless another value is requested. */
export const changeDevice: Cause = async wanted => {
  const { engine, user, given } = wanted
  refuseGiven(
    given,
    DEVICE_PATHS.slice(3).map(name => `data.${name}`),
  )
  for (let i = 0; i < wanted.count; i++) {
    let device = (await engine.store.devices.list(user.userId)).at(-1)
    if (!device) {
      await addDevice({ ...wanted, given: [], count: 1 })
      device = (await engine.store.devices.list(user.userId)).at(-1)
    }
    if (!device) throw new Error('the device that was just added is missing')
    const next = given.length > 0 ? withGiven(wanted, device) : { ...device, version: nextVersion(device.version) }
    await announceDevice(wanted, next)
  }
}

function nextVersion(version: string | null): string {
  const [, head = '1.', last = '0'] = /^(.*?)(\d{1,9})$/.exec(version ?? '') ?? []
  return `${head}${Number(last) + 1}`
}

function withGiven({ engine, given }: TriggerCause, device: NewDevice): NewDevice {
  const text = (path: string, otherwise: string | null): string | null => givenText(given, path) ?? otherwise
  const provider = givenText(given, 'provider') ?? device.provider
  if (!engine.providers.find(provider)) throw badPath('data.provider', 'must be one of the known providers')
  return {
    deviceId: device.deviceId,
    provider,
    sourceType: givenText(given, 'source_type') ?? device.sourceType,
    appId: text('app_id', device.appId),
    manufacturer: text('device_manufacturer', device.manufacturer),
    model: text('device_model', device.model),
    version: text('device_version', device.version),
  }
}

/** Reports a device in the same way as a pull that fetches nothing else. */
async function announceDevice({ engine, user, call }: TriggerCause, device: NewDevice): Promise<void> {
  await engine.store.data.write(user.userId, {
    at: call.now,
    teamId: user.teamId,
    batches: [],
    summaries: [],
    streams: [],
    events: { kind: 'daily' },
    importing: null,
    connections: [],
    devices: [device],
    consumeToken: null,
  })
}
