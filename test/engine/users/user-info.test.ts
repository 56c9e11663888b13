/** Profile info and insurance: accepted values, responses, and that no refusal repeats a value. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

const UNKNOWN = '99999999-9999-4999-8999-999999999999' as UserId
const ADDRESS = { first_line: '1 Any Street', city: 'Anytown', state: 'CA', zip: '94103', country: 'US' }
const FULL_ADDRESS = { ...ADDRESS, second_line: '', zip_code: '94103', access_notes: null }
const INFO = {
  first_name: 'Ada',
  last_name: "O'Neil-Byron Jr.",
  email: 'ada@example.test',
  phone_number: '+1 (415) 555-0100',
  gender: 'Female',
  dob: '1990-02-28',
  address: ADDRESS,
}
const INSURANCE = {
  payor_code: 'SVC01',
  member_id: 'M-1',
  relationship: 'Self' as const,
  insured: { ...INFO, gender: 'female' as const },
}

async function withUser(): Promise<{ h: Harness; params: { user_id: UserId } }> {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
  return { h, params: { user_id } }
}
const issues = (error: { readonly body: Readonly<Record<string, unknown>> }) =>
  error.body['detail'] as { readonly loc: string[]; readonly type: string; readonly msg: string }[]

describe('user info', () => {
  it('is returned as set, completed, and replaced as a whole', async () => {
    const { h, params } = await withUser()
    const optional = { race: 'asian' as const, gender_identity: null }
    const set = await h.call('user.set_info', { params, body: { ...INFO, ...optional } })
    expect(set).toEqual({ ...INFO, ...optional, address: FULL_ADDRESS })
    expect(await h.call('user.info', { params })).toEqual(set)
    const { zip, ...locality } = ADDRESS
    await h.call('user.set_info', {
      params,
      body: { ...INFO, address: { ...locality, zip_code: zip, second_line: null } },
    })
    expect(await h.call('user.info', { params })).toEqual({ ...INFO, address: FULL_ADDRESS })
  })

  it('includes the guarantor of a minor', async () => {
    const { h, params } = await withUser()
    const proxy = {
      first_name: 'Anne',
      last_name: 'Byron',
      address: ADDRESS,
      phone_number: '4155550101',
      household_size: 4,
    }
    const info = await h.call('user.set_info', { params, body: { ...INFO, medical_proxy: proxy } })
    expect(info.medical_proxy).toEqual({ ...proxy, address: FULL_ADDRESS, household_income: null, email: null })
  })

  it('returns 404 before it is set and for an unknown user, and stays readable until a deletion is final', async () => {
    const { h, params } = await withUser()
    expect((await h.refusal('user.info', { params })).body).toEqual({ detail: 'User demographics data not found' })
    expect((await h.refusal('user.info', { params: { user_id: UNKNOWN } })).body).toEqual({ detail: 'User not found' })
    const malformed = await h.refusal('user.info', { params: { user_id: 'x' as UserId } })
    expect([malformed.status, typeof malformed.body['detail']]).toEqual([422, 'string'])
    await h.call('user.set_info', { params, body: INFO })
    await h.call('user.delete', { params })
    expect((await h.call('user.info', { params })).first_name).toBe('Ada')
    expect((await h.refusal('user.set_info', { params, body: INFO })).body).toEqual({ detail: 'User not found' })
    h.time.ms += 7 * DAY_MS
    expect((await h.refusal('user.info', { params })).status).toBe(404)
    await h.call('engine.run_due', {})
    expect((await h.refusal('user.info', { params })).body).toEqual({ detail: 'User not found' })
    expect(await h.engine.context.store.profiles.info(params.user_id)).toBeNull()
  })

  it('that is invalid is refused field by field, in order, without repeating a value', async () => {
    const { h, params } = await withUser()
    const secret = 'Zz_Secret!'
    const wrong = {
      first_name: secret,
      last_name: 'two  spaces Secret',
      email: `${secret}@nowhere`,
      phone_number: '555-Secret',
      gender: '',
      dob: '1990-02-31',
      address: { ...ADDRESS, zip: '1', zip_code: '2', first_line: '', access_notes: 'x'.repeat(1001) },
      race: secret,
    }
    const refused = await h.refusal('user.set_info', { params, body: wrong as never })
    expect(refused.status).toBe(422)
    expect(issues(refused).map(each => each.loc.slice(1).join('.'))).toEqual([
      'first_name',
      'last_name',
      'email',
      'phone_number',
      'gender',
      'dob',
      'address.first_line',
      'address.access_notes',
      'address.zip',
      'race',
    ])
    expect(JSON.stringify([refused.message, refused.body, refused.suggestions])).not.toContain('Secret')
    const missing = await h.refusal('user.set_info', { params, body: {} as never })
    expect(issues(missing).map(each => [each.loc[1], each.type])).toEqual(
      Object.keys(INFO).map(name => [name, 'missing']),
    )
    const future = await h.refusal('user.set_info', { params, body: { ...INFO, dob: '2050-01-01' } })
    expect(issues(future)).toMatchObject([{ loc: ['body', 'dob'] }])
    const zips = await h.refusal('user.set_info', { params, body: { ...INFO, address: { ...ADDRESS, zip_code: '2' } } })
    expect(issues(zips)).toMatchObject([{ loc: ['body', 'address', 'zip'] }])
  })

  it.each([
    ['+49 30 901820-0', true],
    ['(415) 555.0100', true],
    ['415555010', false],
    ['415 555 0100 x2', false],
  ])('accepts the phone number %s: %s', async (phone_number, isRight) => {
    const { h, params } = await withUser()
    const outcome = h.call('user.set_info', { params, body: { ...INFO, phone_number } })
    if (isRight) await expect(outcome).resolves.toMatchObject({ phone_number })
    else await expect(outcome).rejects.toThrow('at least 10 digits')
  })

  it('accepts long hostile names without delay', async () => {
    const { h, params } = await withUser()
    const began = performance.now()
    for (const first_name of [`a${' a'.repeat(49)}!`, `${'-a'.repeat(49)}!`, `a${"'".repeat(98)}!`]) {
      expect((await h.refusal('user.set_info', { params, body: { ...INFO, first_name } })).status).toBe(422)
    }
    expect(performance.now() - began).toBeLessThan(1000)
  })
})

describe('insurance', () => {
  it('is returned with its payor; the latest of each kind counts', async () => {
    const { h, params } = await withUser()
    expect((await h.refusal('user.insurance', { params })).body).toEqual({ detail: 'User insurance not found' })
    const first = await h.call('user.add_insurance', { params, body: INSURANCE })
    expect(first).toMatchObject({
      ...INSURANCE,
      insured: { address: FULL_ADDRESS },
      group_id: null,
      guarantor: null,
      is_primary: true,
      company: { name: 'Meridian Sample Health Plan', address: { zip: '06103', second_line: '' } },
    })
    const second = await h.call('user.add_insurance', {
      params,
      body: { ...INSURANCE, payor_code: 'UNLISTED', is_primary: false },
    })
    expect(second.company.name).toBe('UNLISTED')
    expect(await h.call('user.insurance', { params })).toEqual(second)
    expect(await h.call('user.insurance', { params, query: { is_primary: 'true' } })).toEqual(first)
    expect(await h.call('user.insurance', { params, query: { is_primary: false } })).toEqual(second)
  })

  it('is refused if invalid, or for an unknown user', async () => {
    const { h, params } = await withUser()
    const { member_id: _left, ...rest } = INSURANCE
    const wrong = { ...rest, relationship: 'Cousin', insured: { ...INSURANCE.insured, dob: '2050-01-01' } }
    const refused = await h.refusal('user.add_insurance', { params, body: wrong as never })
    expect(issues(refused).map(each => each.loc[1])).toEqual(['member_id', 'relationship'])
    const future = await h.refusal('user.add_insurance', { params, body: { ...INSURANCE, insured: wrong.insured } })
    expect(issues(future)).toMatchObject([{ loc: ['body', 'insured', 'dob'] }])
    const nobody = { params: { user_id: UNKNOWN } }
    expect((await h.refusal('user.add_insurance', { ...nobody, body: INSURANCE })).status).toBe(404)
    expect((await h.refusal('user.insurance', nobody)).status).toBe(404)
  })
})
