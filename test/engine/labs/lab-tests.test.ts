/** Lab tests, lab accounts and order sets: lists, filters, cursors, and availability by account. */
import { describe, expect, it } from 'vitest'
import { labAccounts } from '../../../src/catalogue/labs/lab-accounts.ts'
import { openHarness } from '../../kit/harness.ts'
import { labTestId } from '../orders/orders.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'
const account = (lab: number): string => labAccounts().find(each => each.labId === lab)?.id ?? ''

describe('lab tests', () => {
  it('are the same page by page, each once, as in the list without pages', async () => {
    const { call } = await openHarness()
    const ids: string[] = []
    let next_cursor: string | undefined
    do {
      const page = await call('labs.tests', { query: { lab_test_limit: 4, next_cursor } })
      expect(page.data.length).toBeLessThanOrEqual(4)
      ids.push(...page.data.map(each => each.id))
      next_cursor = page.next_cursor ?? undefined
    } while (next_cursor)
    expect(ids).toEqual((await call('labs.tests_legacy', {})).map(each => each.id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('have cursors that are valid only for the same filters and order', async () => {
    const { call, refusal } = await openHarness()
    const { next_cursor } = await call('labs.tests', { query: { lab_test_limit: 2, status: 'active' } })
    for (const query of [{}, { status: 'active' as const, order_direction: 'desc' as const }]) {
      const refused = await refusal('labs.tests', { query: { ...query, next_cursor: next_cursor ?? '' } })
      expect(refused).toMatchObject({ status: 422, code: 'invalid_cursor' })
    }
    expect(await refusal('labs.tests', { query: { next_cursor: 'x' } })).toMatchObject({ code: 'invalid_cursor' })
    const more = await call('labs.tests', {
      query: { lab_test_limit: 500, status: 'active', next_cursor: next_cursor ?? '' },
    })
    expect(more.next_cursor).toBeNull()
  })

  it('can be filtered by lab, collection method, status, name and markers, and sorted by price', async () => {
    const { call, refusal } = await openHarness()
    const slugs = async (query: object) => (await call('labs.tests', { query })).data.map(each => each.slug)
    expect(await slugs({ lab_slug: 'my_uti' })).toEqual(['urinary-infection-kit'])
    expect(await slugs({ collection_method: 'on_site_collection' })).toEqual(['iron-status', 'vitamin-d-on-site'])
    expect(await slugs({ status: 'inactive' })).toEqual(['heavy-metals-walk-in'])
    expect(await slugs({ name: 'tHyRoId' })).toEqual(['thyroid-kit', 'thyroid-walk-in'])
    expect(await slugs({ lab_slug: 'manual' })).toEqual([])
    const { data } = await call('labs.tests', { query: { name: 'Iron Status' } })
    const [panel, ferritin] = data[0]?.markers ?? []
    expect(await slugs({ marker_ids: [panel?.id, ferritin?.id] })).toEqual(['iron-status'])
    expect(await slugs({ provider_ids: [ferritin?.provider_id ?? ''] })).toEqual(['iron-status'])
    const prices = (await call('labs.tests', { query: { order_key: 'price', order_direction: 'desc' } })).data.map(
      each => each.price,
    )
    expect(prices).toEqual([...prices].sort((a, b) => b - a))
    expect(await refusal('labs.tests', { query: { lab_slug: 'qest' } })).toMatchObject({ status: 422 })
  })

  it('cost the sum of their markers, in minor currency units on request', async () => {
    const { call } = await openHarness()
    const { data, pricing } = await call('labs.tests', { query: { name: 'Thyroid Check', include_pricing: true } })
    const [test] = data
    const sum = test?.markers?.reduce((all, each) => all + Number(each.price), 0)
    expect(test?.price).toBe(sum)
    expect(pricing?.data[test?.id ?? '']).toEqual({ base_amount_minor: Math.round((sum ?? 0) * 100), modifiers: [] })
  })

  it('are available one by one with their markers, or not at all', async () => {
    const { call, refusal } = await openHarness()
    const lab_test_id = labTestId('essential-health')
    const test = await call('labs.test', { params: { lab_test_id: lab_test_id.toUpperCase() } })
    expect(test).toMatchObject({ slug: 'essential-health', is_active: true, lab: { slug: 'labcorp' }, fasting: true })
    const page = await call('labs.test_markers', { params: { lab_test_id }, query: { size: 2 } })
    expect(page).toMatchObject({ total: 4, pages: 2, size: 2, page: 1 })
    expect(page.markers[0]?.expected_results.length).toBeGreaterThan(10)
    expect(await refusal('labs.test', { params: { lab_test_id: NOBODY } })).toMatchObject({ status: 404 })
    expect(await refusal('labs.test_markers', { params: { lab_test_id: NOBODY } })).toMatchObject({ status: 404 })
  })
})

describe('a lab account', () => {
  it('decides which markers and tests are available', async () => {
    const { call, refusal } = await openHarness()
    const panels = account(4)
    const { markers } = await call('labs.markers', { query: { lab_account_id: panels, size: 100 } })
    expect(markers.length).toBeGreaterThan(10)
    expect(markers.every(each => each.lab_id === 4 && each.type === 'panel')).toBe(true)
    const tests = await call('labs.tests', { query: { lab_account_id: panels } })
    expect(tests.data.map(each => each.slug)).toEqual(['thyroid-walk-in', 'celiac-walk-in'])
    const lab_test_id = labTestId('essential-health')
    const refused = { params: { lab_test_id }, query: { lab_account_id: panels } }
    expect(await refusal('labs.test', refused)).toMatchObject({ status: 404 })
    expect((await call('labs.test_markers', refused)).total).toBe(0)
  })

  it('makes nothing available while suspended, and is refused if unknown', async () => {
    const { call, refusal } = await openHarness()
    expect((await call('labs.markers', { query: { lab_account_id: account(7) } })).total).toBe(0)
    expect((await call('labs.tests', { query: { lab_account_id: account(7) } })).data).toEqual([])
    for (const id of ['labs.markers', 'labs.tests', 'labs.tests_legacy'] as const) {
      expect(await refusal(id, { query: { lab_account_id: NOBODY } })).toMatchObject({ status: 404 })
    }
  })

  it('is listed with its lab, flow and billing', async () => {
    const { call } = await openHarness()
    const { data } = await call('labs.accounts', {})
    expect(data.length).toBeGreaterThanOrEqual(2)
    expect(data[0]).toMatchObject({
      lab: 'labcorp',
      status: 'active',
      delegated_flow: 'not_delegated',
      team_id_allowlist: [],
    })
    expect((await call('labs.accounts', { query: { lab_account_id: account(4) } })).data).toHaveLength(1)
    expect((await call('labs.accounts', { query: { lab_account_id: NOBODY } })).data).toEqual([])
    expect((await call('labs.accounts', { query: { status: 'suspended' } })).data).toHaveLength(1)
  })
})

describe('markers', () => {
  it('can be found by their lab and its code', async () => {
    const { call, refusal } = await openHarness()
    const marker = await call('labs.marker_by_code', { params: { lab_id: 6, provider_id: '676109' } })
    expect(marker).toMatchObject({ id: 602_345, name: 'Glucose', expected_results: [{ loinc: { code: '2345-7' } }] })
    const params = { lab_id: 4, provider_id: '676109' }
    expect(await refusal('labs.marker_by_code', { params })).toMatchObject({ status: 404 })
    expect(
      await refusal('labs.marker_by_code', {
        params: { lab_id: 6, provider_id: '676109' },
        query: { lab_account_id: account(4) },
      }),
    ).toMatchObject({ status: 404 })
  })

  it('of an order set are its tests’ markers plus the added ones, each once', async () => {
    const { call, refusal } = await openHarness()
    const lab_test_ids = [labTestId('essential-health')]
    const set = { lab_test_ids, add_on: { marker_ids: [602_276], provider_ids: ['676109'] } }
    const { markers, total } = await call('labs.order_set_markers', { body: set })
    expect(total).toBe(6)
    expect(markers.map(each => each.id).slice(4)).toEqual([602_276, 602_345])
    expect(await refusal('labs.order_set_markers', { body: {} })).toMatchObject({ status: 422 })
    const unsold = { lab_test_ids, add_on: { marker_ids: [602_160] } }
    const { markers: known } = await call('labs.markers', { query: { a_la_carte_enabled: false, lab_id: 6, size: 1 } })
    const refused = { ...unsold, add_on: { marker_ids: [known[0]?.id ?? 0] } }
    expect(await refusal('labs.order_set_markers', { body: refused })).toMatchObject({ status: 400 })
  })
})
