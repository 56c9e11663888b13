/** The lab catalogue: filters, paging and prices of markers. */
import { describe, expect, it } from 'vitest'
import { openHarness } from '../../kit/harness.ts'

describe('markers', () => {
  it('are paged, with consistent totals', async () => {
    const { call } = await openHarness()
    const first = await call('labs.markers', { query: { size: '3' } })
    const second = await call('labs.markers', { query: { size: 3, page: '2' } })
    expect(first).toMatchObject({ page: 1, size: 3, pages: Math.ceil(first.total / 3) })
    const ids = [...first.markers, ...second.markers].map(marker => marker.id)
    expect(new Set(ids).size).toBe(6)
    const beyond = await call('labs.markers', { query: { page: first.pages + 1, size: 3 } })
    expect(beyond).toMatchObject({ markers: [], total: first.total })
  })

  it('can be filtered by lab, with the slug taking precedence over IDs, and by name or test code', async () => {
    const { call, refusal } = await openHarness()
    const two = await call('labs.markers', { query: { lab_id: ['4', '6'], size: 100 } })
    expect(two.markers.every(marker => marker.lab_id === 4 || marker.lab_id === 6)).toBe(true)
    const only = await call('labs.markers', { query: { lab_id: '4' } })
    expect(two.total).toBeGreaterThan(only.total)
    const quest = await call('labs.markers', { query: { lab_id: '6', lab_slug: 'quest', size: 100 } })
    expect(new Set(quest.markers.map(marker => marker.lab_id))).toEqual(new Set([4]))
    const named = await call('labs.markers', { query: { name: 'GLUCOSE', size: 100 } })
    expect(named.total).toBeGreaterThan(0)
    expect(named.markers.every(marker => marker.name.toLowerCase().includes('glucose'))).toBe(true)
    const code = named.markers[0]?.provider_id as string
    expect(
      (await call('labs.markers', { query: { name: code } })).markers.some(each => each.provider_id === code),
    ).toBe(true)
    expect(await call('labs.markers', { query: { lab_slug: 'manual' } })).toMatchObject({
      markers: [],
      total: 0,
      pages: 0,
    })
    expect(await refusal('labs.markers', { query: { lab_slug: 'qest' } })).toMatchObject({
      status: 422,
      message: expect.stringContaining('Did you mean "quest"'),
    })
  })

  it('have prices only on request, in minor currency units or with the reason for none', async () => {
    const { call } = await openHarness()
    expect(await call('labs.markers', { query: { size: 1 } })).not.toHaveProperty('pricing')
    const { markers, pricing } = await call('labs.markers', { query: { size: 100, include_pricing: 'true' } })
    expect(pricing?.currency).toBe('USD')
    for (const marker of markers) {
      const price = pricing?.data[String(marker.id)]
      const expected = Number.isNaN(Number(marker.price))
        ? { unspecified: 'price_unavailable' }
        : { base_amount_minor: Math.round(Number(marker.price) * 100), modifiers: [] }
      expect(price).toEqual(expected)
    }
  })

  it('are refused for an unknown lab account and for an invalid page', async () => {
    const { refusal } = await openHarness()
    const account = '0f8fad5b-d9cb-469f-a165-70867728950e'
    expect(await refusal('labs.markers', { query: { lab_account_id: account } })).toMatchObject({ status: 404 })
    expect(await refusal('labs.markers', { query: { lab_account_id: 'x' } })).toMatchObject({ status: 422 })
    for (const query of [{ size: 0 }, { size: 101 }, { page: 0 }]) {
      expect(await refusal('labs.markers', { query })).toMatchObject({ status: 422 })
    }
  })
})
