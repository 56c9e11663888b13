/**
 * Laboratory accounts through which orders are placed. The account determines which tests are available. See docs/interface/labs.md#labs-5.
 */
import { stableId } from './lab-tests.ts'
import type { CollectionMethod } from './labs.ts'
import type { Marker } from './markers.ts'

export const ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]
export const DELEGATED_FLOWS = ['order_delegated', 'result_delegated', 'fully_delegated', 'not_delegated'] as const
export type DelegatedFlow = (typeof DELEGATED_FLOWS)[number]
/** Flows in which the team, not the service, creates the requisition. */
export const ORDERS_WITH_OWN_REQUISITION: readonly DelegatedFlow[] = ['order_delegated', 'fully_delegated']
export const BILLING_TYPES = [
  'client_bill',
  'commercial_insurance',
  'patient_bill_passthrough',
  'patient_bill',
] as const
export type BillingType = (typeof BILLING_TYPES)[number]

export interface LabAccount {
  readonly id: string
  readonly labId: number
  readonly orgId: string
  readonly status: AccountStatus
  readonly delegatedFlow: DelegatedFlow
  /** The lab's number for the account. */
  readonly providerAccountId: string
  readonly accountName: string
  readonly defaultClinicalNotes: string | null
  readonly businessUnits: readonly string[]
  readonly allowedBilling: readonly BillingType[]
  /** Teams that may use the account; empty for all teams. */
  readonly teamIdAllowlist: readonly string[]
  readonly methods: readonly CollectionMethod[]
  /** Marker types that the account covers; absent if it covers everything that the lab offers. */
  readonly markerTypes?: readonly Marker['type'][]
}

function build(): readonly LabAccount[] {
  const orgId = stableId('org', 'sandbox')
  return [
    {
      id: stableId('lab account', 'labcorp-main'),
      labId: 6,
      orgId,
      status: 'active',
      delegatedFlow: 'not_delegated',
      providerAccountId: '60010001',
      accountName: 'Labcorp, main account',
      defaultClinicalNotes: null,
      businessUnits: ['south', 'west'],
      allowedBilling: BILLING_TYPES,
      teamIdAllowlist: [],
      methods: ['walk_in_test', 'at_home_phlebotomy', 'on_site_collection'],
    },
    {
      id: stableId('lab account', 'quest-panels'),
      labId: 4,
      orgId,
      status: 'active',
      delegatedFlow: 'order_delegated',
      providerAccountId: '40020002',
      accountName: 'Quest, panels only, own requisitions',
      defaultClinicalNotes: 'Report to the ordering practice.',
      businessUnits: [],
      allowedBilling: ['client_bill'],
      teamIdAllowlist: [],
      methods: ['walk_in_test'],
      markerTypes: ['panel'],
    },
    {
      id: stableId('lab account', 'bioreference-former'),
      labId: 7,
      orgId,
      status: 'suspended',
      delegatedFlow: 'result_delegated',
      providerAccountId: '70030003',
      accountName: 'BioReference, former account',
      defaultClinicalNotes: null,
      businessUnits: [],
      allowedBilling: ['client_bill'],
      teamIdAllowlist: [],
      methods: ['walk_in_test', 'on_site_collection'],
    },
  ]
}

// global, because this is constant data that is built when first used
let all: readonly LabAccount[] | undefined

/** Returns the accounts in listing order. Every call returns the same list. */
export function labAccounts(): readonly LabAccount[] {
  all ??= build()
  return all
}

/** Returns the accounts that a team may use. */
export function allowedAccounts(
  teamId: string,
  accounts: readonly LabAccount[] = labAccounts(),
): readonly LabAccount[] {
  return accounts.filter(each => each.teamIdAllowlist.length === 0 || each.teamIdAllowlist.includes(teamId))
}

/** Returns whether tests of this marker can be ordered through the account. */
export function covers(account: LabAccount, marker: Pick<Marker, 'lab_id' | 'type'>): boolean {
  return (
    account.status === 'active' &&
    account.labId === marker.lab_id &&
    (account.markerTypes === undefined || account.markerTypes.includes(marker.type))
  )
}
