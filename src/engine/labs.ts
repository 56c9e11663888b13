/** The catalogue of labs and markers (interface.md 4.10, 4.11). */
import type { Marker } from '../catalogue/markers.ts'
import { didYouMean, invalid, ServiceError } from '../core/errors.ts'
import { type Handler, ok } from './context.ts'

export const listLabs: Handler<'labs.list'> = async () => {
  const { LABS } = await import('../catalogue/labs.ts')
  return ok(
    LABS.map(lab => ({ ...lab, collection_methods: [...lab.collection_methods], sample_types: [...lab.sample_types] })),
  )
}

export const listMarkers: Handler<'labs.markers'> = async (_engine, { query }) => {
  const { LABS, LABS_WITHOUT_MARKERS, loadMarkers } = await import('../catalogue/labs.ts')
  // an account decides which markers are available; the catalogue has no accounts, so no account is a known one
  if (query.lab_account_id !== undefined) throw new ServiceError('not_found', 'Lab account not found')
  const wanted = query.lab_slug === undefined ? query.lab_id : labIds(query.lab_slug, LABS, LABS_WITHOUT_MARKERS)
  const name = query.name.trim().toLowerCase()
  const found = (await loadMarkers()).filter(
    marker =>
      (wanted === undefined || wanted.includes(marker.lab_id)) &&
      (query.a_la_carte_enabled === undefined || marker.a_la_carte_enabled === query.a_la_carte_enabled) &&
      (name === '' || marker.name.toLowerCase().includes(name) || marker.provider_id.toLowerCase().includes(name)),
  )
  const from = (query.page - 1) * query.size
  const shown = found.slice(from, from + query.size)
  return ok({
    markers: structuredClone(shown) as never,
    total: found.length,
    page: query.page,
    size: query.size,
    pages: Math.ceil(found.length / query.size),
    ...(query.include_pricing ? { pricing: pricingOf(shown) } : {}),
  })
}

function pricingOf(markers: readonly Marker[]) {
  const data = Object.fromEntries(markers.map(marker => [String(marker.id), priceOf(marker.price)]))
  return { currency: 'USD' as const, data }
}

/** Prices are text, `12.50` or `N/A` (interface.md 2.7). */
function priceOf(price: string | null) {
  const amount = Number(price)
  if (price === null || price === '' || Number.isNaN(amount)) return { unspecified: 'price_unavailable' }
  return { base_amount_minor: Math.round(amount * 100), modifiers: [] }
}

function labIds(
  slug: string,
  labs: readonly { readonly id: number; readonly slug: string }[],
  others: readonly string[],
): number[] {
  const lab = labs.find(each => each.slug === slug)
  if (lab) return [lab.id]
  if (others.includes(slug)) return []
  const slugs = [...labs.map(each => each.slug), ...others]
  const msg = `"${slug}" is not one of the labs.${didYouMean(slug, slugs)} Allowed: ${slugs.join(', ')}`
  throw invalid([{ loc: ['query', 'lab_slug'], msg, type: 'enum' }])
}
