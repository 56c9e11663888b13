/**
 * Resolves an order's items: one lab's tests and individual markers, ordered through one account. See docs/interface/orders.md#orders-1.
 */
import { createHash } from 'node:crypto'
import { covers, type LabAccount } from '../../catalogue/labs/lab-accounts.ts'
import { type LabTest, markersById } from '../../catalogue/labs/lab-tests.ts'
import { type CollectionMethod, loadMarkers } from '../../catalogue/labs/labs.ts'
import type { Marker } from '../../catalogue/labs/markers.ts'
import type { OrderSet } from '../../contract/orders/order-request.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { makeUuid, type TeamId } from '../../core/ids.ts'
import { present } from '../../core/present.ts'
import type { EpochMs } from '../../core/time.ts'
import type { TeamLabTest } from '../../store/order.ts'
import type { EngineContext } from '../context.ts'
import { accountNamed, labWithId } from './accounts.ts'
import { labTestNamed } from './tests.ts'
import { testMarkers } from './views.ts'

export interface ResolvedSet {
  readonly labId: number
  readonly account: LabAccount | null
  readonly labTests: readonly LabTest[]
  /** The markers of all tests and the added markers, without duplicates, in the order in which they were listed. */
  readonly markers: readonly Marker[]
}

interface OrderSetRequest {
  readonly set: OrderSet
  /** The account specified with the set. */
  readonly accountId?: string | null | undefined
  /** The set's path in the request. */
  readonly loc: readonly string[]
}

const refused = (message: string): ServiceError => new ServiceError('bad_request', message)

/** Resolves a set. Throws 422 for an empty set, 404 for an unknown item, and 400 for items that cannot be ordered together. */
export async function resolveOrderSet(
  engine: EngineContext,
  teamId: TeamId,
  { set, accountId, loc }: OrderSetRequest,
): Promise<ResolvedSet> {
  const ids = [...new Set((set.lab_test_ids ?? []).map(id => id.toLowerCase()))]
  const markerIds = set.add_on?.marker_ids ?? []
  const codes = set.add_on?.provider_ids ?? []
  if (ids.length + markerIds.length + codes.length === 0) {
    throw invalid([
      {
        loc: [...loc, 'lab_test_ids'],
        msg: 'must contain at least one lab test, unless add_on contains a marker',
        type: 'missing',
      },
    ])
  }
  const given = set.lab_account_id ?? accountId
  if (set.lab_account_id && accountId && set.lab_account_id.toLowerCase() !== accountId.toLowerCase()) {
    const msg = 'must be the same as the lab_account_id of the order'
    throw invalid([{ loc: [...loc, 'lab_account_id'], msg, type: 'value_error' }])
  }
  const account = given ? accountNamed(teamId, given) : null
  const known = await markersById()
  const labTests = await Promise.all(ids.map(id => labTestNamed(engine, teamId, id)))
  for (const test of labTests) {
    if (test.status !== 'active') throw refused('A lab test in the set is inactive, so the set cannot be ordered.')
  }
  const single = markerIds.map(id => known.get(id) ?? missing('Marker not found'))
  const labIds = new Set([...labTests.map(each => each.labId), ...single.map(each => each.lab_id)])
  if (account) labIds.add(account.labId)
  if (labIds.size > 1) throw refused('The lab tests, the added markers and the lab account must belong to one lab.')
  const [labId] = labIds
  if (labId === undefined)
    throw refused('Marker codes alone do not identify a lab. Also specify a lab test, a marker ID or a lab account.')
  const coded = await markersOfCodes(labId, codes)
  const added = [...single, ...coded]
  checkSoldAlone(added)
  const markers = [...new Set([...labTests.flatMap(each => testMarkers(each, known)), ...added])]
  checkAccount(account, markers)
  return { labId, account, labTests, markers }
}

async function markersOfCodes(labId: number, codes: readonly string[]): Promise<Marker[]> {
  if (codes.length === 0) return []
  const all = (await loadMarkers()).filter(each => each.lab_id === labId)
  return codes.map(code => all.find(each => each.provider_id === code) ?? missing('Marker not found'))
}

function missing(what: string): never {
  throw new ServiceError('not_found', what)
}

function checkSoldAlone(markers: readonly Marker[]): void {
  if (markers.every(each => each.a_la_carte_enabled)) return
  throw refused('An added marker cannot be ordered by itself. Only markers with a_la_carte_enabled can be added.')
}

function checkAccount(account: LabAccount | null, markers: readonly Marker[]): void {
  if (account === null) return
  if (account.status !== 'active')
    throw refused(`The lab account is ${account.status}, so nothing can be ordered through it.`)
  if (!markers.every(each => covers(account, each)))
    throw refused('The lab account does not cover all of these markers.')
}

/**
 * Returns the collection method: the requested one, or otherwise the one that the lab tests require. Throws 400 if this method is not
 * possible.
 */
export function chooseCollectionMethod(set: ResolvedSet, asked: CollectionMethod | null | undefined): CollectionMethod {
  const lab = labWithId(set.labId)
  const own = [...new Set(set.labTests.map(each => each.method))]
  const [first] = own.length > 0 ? own : lab.collection_methods
  if (!asked && own.length > 1) {
    throw refused('The lab tests differ in how the sample is collected. Choose one with collection_method.')
  }
  const method = asked ?? (first as CollectionMethod)
  const allowed = set.account
    ? lab.collection_methods.filter(each => set.account?.methods.includes(each))
    : lab.collection_methods
  if (!allowed.includes(method)) {
    throw refused(`The collection method ${method} is not available here. Allowed: ${allowed.join(', ')}`)
  }
  return method
}

/**
 * Returns the set as a single lab test: either the test that it contains, or one created from its markers. Within a team, equal markers
 * always result in the same test.
 */
export function labTestOfSet(
  set: ResolvedSet,
  { teamId, method, now }: { readonly teamId: TeamId; readonly method: CollectionMethod; readonly now: EpochMs },
): { readonly labTestId: string; readonly made: TeamLabTest | null } {
  const [only, ...more] = set.labTests
  const markerIds = set.markers.map(each => each.id).sort((a, b) => a - b)
  if (only && more.length === 0 && only.markerIds.length === markerIds.length) return { labTestId: only.id, made: null }
  const name = `${labWithId(set.labId).name}: ${set.markers.map(each => each.name).join(', ')}`
  const path = [teamId, set.labId, method, ...markerIds].join('\u0000')
  const labTestId = makeUuid(createHash('sha256').update(`order set ${path}`).digest(), 8)
  const made: TeamLabTest = {
    teamId,
    labTestId,
    name: name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS - 1)}…` : name,
    labId: set.labId,
    method,
    sampleType: only?.sampleType ?? labSampleType(set.labId),
    fasting: set.labTests.some(each => each.fasting),
    markerIds,
    createdAt: now,
  }
  return { labTestId, made }
}

const NAME_CHARACTERS = 200

function labSampleType(labId: number): TeamLabTest['sampleType'] {
  return present(labWithId(labId).sample_types[0], 'a sample type of the lab')
}
