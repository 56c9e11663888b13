/** Lists and shows the catalogue's labs and markers. See docs/interface/labs.md#labs-2. */
import { covers } from '../../catalogue/labs/lab-accounts.ts'
import { LABS, loadMarkers } from '../../catalogue/labs/labs.ts'
import type { Marker } from '../../catalogue/labs/markers.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Handler, ok, type TeamCall } from '../context.ts'
import { accountNamed } from './accounts.ts'
import { labIds } from './lab-slugs.ts'
import { resolveOrderSet } from './order-set.ts'
import { labTestNamed } from './tests.ts'
import { labView, markerPricing, markerView, testMarkers } from './views.ts'

export const listLabs: Handler<'labs.list'> = async () => ok(LABS.map(labView))

export const listMarkers: Handler<'labs.markers'> = async (_engine, { query }, call) => {
  const wanted = query.lab_slug === undefined ? query.lab_id : labIds(query.lab_slug)
  const name = query.name.trim().toLowerCase()
  const available = availableTo(call, query.lab_account_id)
  const found = (await loadMarkers()).filter(
    marker =>
      available(marker) &&
      (wanted === undefined || wanted.includes(marker.lab_id)) &&
      (query.a_la_carte_enabled === undefined || marker.a_la_carte_enabled === query.a_la_carte_enabled) &&
      (name === '' || isNamed(marker, name)),
  )
  const shown = selectPage(found, query)
  return ok({ ...page(found, query), ...(query.include_pricing ? { pricing: markerPricing(shown) } : {}) })
}

/** Returns whether the search text is part of the name or of the lab's code, or is a whole LOINC code. */
const isNamed = (marker: Marker, text: string): boolean =>
  marker.name.toLowerCase().includes(text) ||
  marker.provider_id.toLowerCase().includes(text) ||
  marker.expected_results.some(({ loinc }) => loinc.code.toLowerCase() === text)

export const listOrderSetMarkers: Handler<'labs.order_set_markers'> = async (engine, { query, body }, call) => {
  const { markers } = await resolveOrderSet(engine, call.team.teamId, { set: body, loc: ['body'] })
  return ok(page(markers, query))
}

export const listLabTestMarkers: Handler<'labs.test_markers'> = async (engine, { params, query }, call) => {
  const { markersById } = await import('../../catalogue/labs/lab-tests.ts')
  const test = await labTestNamed(engine, call.team.teamId, params.lab_test_id)
  const available = availableTo(call, query.lab_account_id)
  return ok(page(testMarkers(test, await markersById()).filter(available), query))
}

export const getMarkerByCode: Handler<'labs.marker_by_code'> = async (_engine, { params, query }, call) => {
  const available = availableTo(call, query.lab_account_id)
  const marker = (await loadMarkers()).find(
    each => each.lab_id === params.lab_id && each.provider_id === params.provider_id && available(each),
  )
  if (!marker) throw new ServiceError('not_found', 'Marker not found')
  return ok(markerView(marker))
}

/**
 * Returns whether a marker is available to a call. If the call names an account, only that account counts. Throws 404 for an unknown
 * account.
 */
function availableTo(call: TeamCall, accountId: string | undefined): (marker: Marker) => boolean {
  if (accountId === undefined) return () => true
  const account = accountNamed(call.team.teamId, accountId)
  return marker => covers(account, marker)
}

interface Paging {
  readonly page: number
  readonly size: number
}

function selectPage(markers: readonly Marker[], { page, size }: Paging): readonly Marker[] {
  return markers.slice((page - 1) * size, page * size)
}

function page(markers: readonly Marker[], paging: Paging) {
  return {
    markers: selectPage(markers, paging).map(markerView),
    total: markers.length,
    page: paging.page,
    size: paging.size,
    pages: Math.ceil(markers.length / paging.size),
  }
}
