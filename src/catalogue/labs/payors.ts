/** The sandbox's fictional health insurers, by payor code. */

export interface Payor {
  readonly name: string
  readonly address: {
    readonly first_line: string
    readonly city: string
    readonly state: string
    readonly zip: string
    readonly country: string
  }
}

export const PAYORS: Readonly<Record<string, Payor>> = {
  SVC01: {
    name: 'Meridian Sample Health Plan',
    address: { first_line: '100 Example Plaza', city: 'Hartford', state: 'CT', zip: '06103', country: 'US' },
  },
  SVC02: {
    name: 'Cedar Test Mutual',
    address: { first_line: '22 Placeholder Road', city: 'Columbus', state: 'OH', zip: '43215', country: 'US' },
  },
  SVC03: {
    name: 'Bluewater Demo Insurance',
    address: { first_line: '7 Specimen Street', city: 'Tampa', state: 'FL', zip: '33602', country: 'US' },
  },
}
