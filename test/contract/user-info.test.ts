/** User info: every field of a user's profile that a client can read. See docs/interface/users.md. */
import { describe, expect, it } from 'vitest'
import { patientInput } from '../../src/contract/orders/order-patient.ts'
import { newAddress, setUserInfo, userInfo } from '../../src/contract/users/user-info.ts'

const ADDRESS = {
  first_line: '1 Any Street',
  second_line: null,
  zip_code: '00000',
  zip: '00000',
  state: 'XX',
  city: 'Anytown',
  country: 'XX',
  access_notes: null,
}
const INFO = {
  first_name: 'First',
  last_name: 'Last',
  email: 'first@example.test',
  phone_number: '+15550000000',
  gender: 'female',
  dob: '1990-02-28',
  address: ADDRESS,
}

describe('user info', () => {
  it('needs the seven base fields', () => {
    expect(userInfo().parse(INFO)).toEqual(INFO)
    for (const field of Object.keys(INFO)) {
      const { [field as keyof typeof INFO]: _left, ...rest } = INFO
      expect(userInfo().safeParse(rest).success, `without ${field}`).toBe(false)
    }
  })

  it('keeps unlisted values of the four enumerations, and a guarantor', () => {
    const full = {
      ...INFO,
      race: 'asian',
      ethnicity: 'a value of tomorrow',
      sexual_orientation: null,
      gender_identity: 'genderqueer',
      medical_proxy: {
        first_name: 'Guarantor',
        last_name: 'Last',
        address: ADDRESS,
        phone_number: '+15550000001',
        household_income: 1,
        household_size: null,
        email: null,
      },
    }
    expect(userInfo().parse(full)).toEqual(full)
  })

  it('refuses a date of birth that does not exist', () => {
    expect(userInfo().safeParse({ ...INFO, dob: '1990-02-30' }).success).toBe(false)
  })
})

describe('the name of a person', () => {
  const PATIENT = { ...INFO, address: undefined }
  const isAccepted = (name: string) =>
    setUserInfo().safeParse({ ...INFO, first_name: name }).success &&
    patientInput().safeParse({ ...PATIENT, last_name: name }).success

  it.each([
    'Łucja',
    'Weiß',
    'Bjørn',
    'Zoë-Ångström',
    'Nguyễn Thị',
    "O'Brien, Jr.",
    'Jose\u0301',
    'S\u0323\u0307erif',
    '3rd Smith',
  ])('can have any letters of the Latin script, also with combining marks: %s', name => {
    expect(isAccepted(name)).toBe(true)
  })

  it.each([
    'Αλεξ',
    'Иван',
    '太郎',
    '\u0301Jose',
    '-Ann',
    'Ann  Lee',
    'Ann\tLee',
    'Ann_Lee',
    ' Ann',
    'Ann\u0000',
    '<b>',
  ])('cannot have other characters: %j', name => {
    expect(isAccepted(name)).toBe(false)
  })
})

describe('an address', () => {
  it('that is empty is refused with all missing fields at once, including the postal code', () => {
    const missing = newAddress()
      .safeParse({})
      .error?.issues.map(issue => issue.path.join('.'))
    expect(missing).toEqual(['first_line', 'state', 'city', 'country', 'zip'])
  })

  it.each([null, [], 'text'])('that is %j is refused without mentioning a postal code', value => {
    expect(
      newAddress()
        .safeParse(value)
        .error?.issues.map(issue => issue.path),
    ).toEqual([[]])
  })
})
