/** Every connector and importer states the kinds of values that it supplies. See docs/interface/kinds.md#kinds-4. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KINDS } from '../../src/catalogue/kinds.ts'
import { type Provider, SHIPPED_REGISTRY } from '../../src/catalogue/providers.ts'
import { DAILY_AMOUNTS, type SuppliedKinds } from '../../src/catalogue/supplied-kinds.ts'
import { HEAD_BYTES, IMPORTERS, importerFor } from '../../src/connectors/files/formats.ts'
import type { LiveConnector } from '../../src/connectors/live/live-connector.ts'
import { LIVE_PROVIDERS, liveConnector } from '../../src/connectors/live/live-connectors.ts'
import type { ProviderApp } from '../../src/connectors/provider-session.ts'
import { simulatedConnector } from '../../src/connectors/synthetic/connector.ts'
import { syntheticHistory } from '../../src/connectors/synthetic/person.ts'
import type { TokenSet } from '../../src/connectors/token-set.ts'
import { present } from '../../src/core/present.ts'
import { DAY_MS } from '../../src/core/time.ts'
import { NOON } from '../kit/harness.ts'
import type { FakeProvider } from '../providers/fake-provider.ts'
import { LIVE_CASES } from '../providers/live-cases.ts'
import { testApp, testSession } from '../providers/test-session.ts'
import { SAMPLES } from './files/activity-import.ts'
import { readFile } from './files/record-files.ts'
import { pull } from './live/pulled.ts'
import { expectKnownKinds, kindsIn } from './stated-kinds.ts'

function describeKinds(supplied: SuppliedKinds): string {
  return Object.entries(supplied)
    .map(([resource, kinds]) => `${resource}: ${kinds.join(', ')}`)
    .join('; ')
}

/** Resources whose kinds must be stated. */
const KINDED = [...Object.keys(KINDS), ...DAILY_AMOUNTS]

describe.each(LIVE_PROVIDERS)('the live connector of %s', provider => {
  it('states kinds of exactly those of its resources that have kinds', async () => {
    const { kinds, resources } = present(await liveConnector(provider), 'a connector')
    expect(Object.keys(kinds)).toEqual(resources.filter(each => KINDED.includes(each)).sort())
    expectKnownKinds(kinds)
  })

  it('supplies only kinds that it states', async () => {
    const connector = present(await liveConnector(provider), 'a connector')
    const found = present(
      LIVE_CASES.find(each => each.provider === provider),
      'a fake provider',
    )
    const { fake, settings } = await found.open()
    try {
      const now = Date.now()
      const app = testApp(fake, connector)
      const own = { app: { ...app, settings: { ...app.settings, ...settings } }, now: () => now }
      const tokenSet = await signIn(fake, connector, own.app)
      const session = testSession(fake, connector, { ...own, grant: tokenSet })
      await connector.profile(session)
      const window = { from: now - 3 * DAY_MS, to: now }
      const pulled = []
      // pull compares the kinds
      for (const { name: collection, scopes } of connector.collections) {
        const isGranted = tokenSet.scopes === null || scopes.every(each => tokenSet.scopes?.includes(each))
        if (isGranted) pulled.push(await pull(connector, session, { collection, window, now }))
      }
      expect(pulled.flatMap(each => each.samples)).not.toEqual([])
    } finally {
      await fake.close()
    }
  })
})

async function signIn(fake: FakeProvider, connector: LiveConnector, app: ProviderApp): Promise<TokenSet> {
  fake.consent = { account: 'person-1' }
  const [redirectUrl, codeVerifier] = ['http://localhost:8484/callback', 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk']
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const asked = { state: 'a-state-of-many-characters', codeChallenge, redirectUrl }
  const back = await fetch(connector.authorizationUrl(app, asked), { redirect: 'manual' })
  const parameters = new URL(back.headers.get('location') ?? '').searchParams
  const code = parameters.get('code') ?? ''
  return connector.exchange(testSession(fake, connector, { app }), { code, redirectUrl, codeVerifier, parameters })
}

it('the kinds of live providers are those that the providers document', async () => {
  const stated = await Promise.all(
    LIVE_PROVIDERS.map(async each => [each, describeKinds((await liveConnector(each))?.kinds ?? {})]),
  )
  expect(Object.fromEntries(stated)).toMatchInlineSnapshot(`
    {
      "dexcom_v3": "",
      "google_health": "blood_oxygen: point, night_mean; body_temperature: core; calories_active: interval; calories_basal: interval; distance: interval; heartrate: point; hrv: rmssd, rmssd_night; steps: interval; vo2_max: estimate, run",
      "oura": "blood_oxygen: night_mean; calories_active: day_total; calories_basal: day_total; distance: day_total; heartrate: point; hrv: rmssd, rmssd_night; steps: day_total; vo2_max: estimate",
      "polar": "blood_oxygen: point; body_temperature: core, skin; calories_active: day_total; calories_basal: day_total; distance: day_total; heartrate: point; hrv: rmssd, rmssd_night; steps: interval, day_total; vo2_max: estimate",
      "whoop_v2": "blood_oxygen: night_mean; body_temperature: skin; heartrate: resting; hrv: rmssd_night",
      "withings": "blood_oxygen: point; body_temperature: core, skin; calories_active: interval; calories_basal: day_total; distance: interval; heartrate: point; hrv: rmssd; steps: interval; vo2_max: estimate",
    }
  `)
})

describe('importers', () => {
  it('state kinds unless a file can contain any', () => {
    const any = IMPORTERS.filter(({ kinds }) => kinds === null).map(({ format }) => format)
    expect(any.sort()).toEqual(['csv', 'ndjson', 'svc_export', 'svc_items'])
    for (const { kinds } of IMPORTERS) expectKnownKinds(kinds ?? {})
    const stated = IMPORTERS.map(({ format, kinds }) => [format, describeKinds(kinds ?? {})])
    expect(Object.fromEntries(stated)).toMatchInlineSnapshot(`
      {
        "apple_health": "blood_oxygen: point; body_temperature: core, skin; calories_active: interval, day_total; calories_basal: interval, day_total; distance: interval, day_total; heartrate: point; hrv: sdnn; steps: interval, day_total; vo2_max: estimate",
        "csv": "",
        "dexcom": "",
        "fhir": "blood_oxygen: point; body_temperature: core; calories_active: interval, day_total; distance: interval, day_total; heartrate: point; hrv: sdnn; steps: interval, day_total; vo2_max: estimate",
        "fit": "blood_oxygen: point; calories_active: interval; distance: interval; heartrate: point; hrv: rmssd, rmssd_night; steps: interval; vo2_max: estimate",
        "gadgetbridge": "blood_oxygen: point; distance: interval, day_total; heartrate: point; hrv: rmssd; steps: interval, day_total",
        "garmin_connect": "blood_oxygen: point, night_mean; calories_active: interval; distance: interval; heartrate: point; hrv: rmssd, rmssd_night; steps: interval; vo2_max: estimate",
        "google_takeout": "blood_oxygen: point, night_mean; body_temperature: skin; distance: interval; heartrate: point; hrv: rmssd, sdnn, rmssd_night; steps: interval; vo2_max: estimate, run",
        "gpx": "heartrate: point",
        "health_auto_export": "blood_oxygen: point; body_temperature: core, skin; calories_active: interval, day_total; calories_basal: interval, day_total; distance: interval, day_total; heartrate: point; hrv: sdnn; steps: interval, day_total; vo2_max: estimate",
        "health_connect": "blood_oxygen: point; body_temperature: core, skin; calories_active: interval, day_total; distance: interval, day_total; heartrate: point; hrv: rmssd; steps: interval, day_total; vo2_max: estimate",
        "libreview": "",
        "ndjson": "",
        "open_mhealth": "blood_oxygen: point; body_temperature: core, skin; calories_active: interval, day_total; heartrate: point; steps: interval, day_total",
        "oura": "blood_oxygen: night_mean; body_temperature: skin; heartrate: point; hrv: rmssd, rmssd_night; vo2_max: estimate",
        "polar_flow": "heartrate: point; steps: interval",
        "samsung_health": "blood_oxygen: point; body_temperature: core, skin; distance: interval; heartrate: point; hrv: rmssd, sdnn; steps: interval; vo2_max: estimate",
        "strava": "blood_oxygen: point; calories_active: interval; distance: interval; heartrate: point; hrv: rmssd, rmssd_night; steps: interval; vo2_max: estimate",
        "svc_export": "",
        "svc_items": "",
        "tcx": "heartrate: point",
        "whoop": "blood_oxygen: night_mean; body_temperature: skin; hrv: rmssd_night",
        "withings": "blood_oxygen: point; heartrate: point; steps: interval",
      }
    `)
  })

  it('read only kinds that they state from published samples', async () => {
    const files = readdirSync(SAMPLES, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
    const read = new Set<string>()
    for (const { parentPath, name } of files) {
      const path = join(parentPath, name)
      if (!/\.(?:xml|fit|gpx|tcx|json|csv)$/.test(name) || /expected|loinc|invalid|records|takeouts/.test(path))
        continue
      const importer = importerFor(await headOf(path))
      // readFile compares the kinds
      const { samples } = await readFile(importer, path, { timeZone: 'UTC', now: NOON })
      if (samples.length > 0) read.add(importer.format)
    }
    expect([...read].sort()).toEqual(['apple_health', 'dexcom', 'fhir', 'fit', 'gpx', 'tcx'])
  })
})

it.each(SHIPPED_REGISTRY.slugs)('simulated people of %s supply exactly the kinds that it states', slug => {
  const provider = present(SHIPPED_REGISTRY.find(slug), 'a provider')
  const { batches } = simulatedPerson(provider)
  expect(kindsIn(batches)).toEqual(simulatedConnector(provider).kinds)
})

function simulatedPerson(provider: Provider) {
  const userId = '0b8f0f9e-1111-4222-8333-444455556666'
  return syntheticHistory({ seed: 'seed', userId, provider, timeZone: 'Europe/Berlin', now: NOON, days: 4 })
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
