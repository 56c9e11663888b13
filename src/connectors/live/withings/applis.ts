/** Kinds of notifications of Withings (`appli`): what is pulled then. */

export interface Appli {
  readonly appli: number
  readonly collections: readonly string[]
  /** The scope that its subscription needs; null: it is not subscribed to, since another one says the same. */
  readonly scope: string | null
}

export const APPLIS: readonly Appli[] = [
  { appli: 1, collections: ['getmeas'], scope: 'user.metrics' },
  { appli: 2, collections: ['getmeas'], scope: 'user.metrics' },
  { appli: 4, collections: ['getmeas'], scope: 'user.metrics' },
  { appli: 16, collections: ['getactivity', 'getintradayactivity', 'getworkouts'], scope: 'user.activity' },
  { appli: 44, collections: ['sleep'], scope: 'user.activity' },
  { appli: 54, collections: ['heart'], scope: 'user.metrics' },
  { appli: 62, collections: ['sleep'], scope: null },
]

/** The person: its access ends, or changes. */
export const ACCOUNT = 46

export const SUBSCRIBED: readonly { readonly appli: number; readonly scope: string }[] = [
  ...APPLIS.flatMap(({ appli, scope }) => (scope === null ? [] : [{ appli, scope }])),
  { appli: ACCOUNT, scope: 'user.info' },
]
