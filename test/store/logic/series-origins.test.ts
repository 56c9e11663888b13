/** Series of one source: what tells their samples apart, however it is written. */
import { describe, expect, it } from 'vitest'
import type { SeriesKey } from '../../../src/core/sample.ts'
import type { Store } from '../../../src/store/port.ts'
import { buildBatch, storeWithUser, USER, writing } from '../user-store.ts'

const PHONE: SeriesKey = { resource: 'steps', type: null, provider: 'apple_health_kit', sourceType: 'phone' }
const AT = Date.UTC(2026, 0, 1, 8)
const DEVICE = 'a0000000-0000-4000-8000-00000000000a'

/** Writes one sample for each text, all at one time. Returns how many were new, replaced or unchanged. */
async function write(store: Store, texts: readonly { app_id?: string; device_id?: string }[], value = 1) {
  const batch = buildBatch(
    PHONE,
    texts.map(text => ({ start: AT, end: AT + 60_000, value, text })),
  )
  const outcome = await store.data.write(USER, writing([batch]))
  return outcome.kind === 'written' ? outcome.report.stored['steps'] : undefined
}

describe('samples of one source at one time', () => {
  it.each([
    ['a NUL', { app_id: 'a\0b' }, { app_id: 'a' }],
    ['a line break', { app_id: 'a\nb' }, { app_id: 'a' }],
    ['a quotation mark', { app_id: 'a","b' }, { app_id: 'a', device_id: DEVICE }],
  ])('are stored beside each other if their apps differ by %s', async (_what, one, other) => {
    const store = await storeWithUser()
    expect(await write(store, [one, other])).toEqual({ samples: 2, replaced: 0, unchanged: 0 })
    expect(await write(store, [one, other])).toEqual({ samples: 2, replaced: 0, unchanged: 2 })
    expect(await write(store, [one], 2)).toEqual({ samples: 1, replaced: 1, unchanged: 0 })
    expect((await store.upkeep.statistics()).samples).toBe(2)
    await store.close()
  })

  it('replace each other if their devices differ only in case', async () => {
    const store = await storeWithUser()
    await write(store, [{ device_id: DEVICE }])
    expect(await write(store, [{ device_id: DEVICE.toUpperCase() }], 2)).toMatchObject({ samples: 1, replaced: 1 })
    await store.close()
  })

  it('may be of many apps', async () => {
    const store = await storeWithUser()
    const apps = Array.from({ length: 500 }, (_, i) => ({ app_id: `com.example.app${i}` }))
    expect(await write(store, apps)).toEqual({ samples: 500, replaced: 0, unchanged: 0 })
    expect(await write(store, apps)).toEqual({ samples: 500, replaced: 0, unchanged: 500 })
    const page = await store.samples.page(USER, { resource: 'steps', provider: null, from: AT, to: AT }, null, 1000)
    expect(page.slices.map(({ columns }) => columns.n)).toEqual([500])
    await store.close()
  })
})
