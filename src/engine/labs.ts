/** The catalogue of labs and markers (interface.md 4.10, 4.11). */
import { didYouMean, invalid } from '../core/errors.ts'
import { type Handler, ok } from './context.ts'

export const listLabs: Handler<'labs.list'> = async () => {
  const { LABS } = await import('../catalogue/labs.ts')
  return ok(
    LABS.map(lab => ({ ...lab, collection_methods: [...lab.collection_methods], sample_types: [...lab.sample_types] })),
  )
}

export const listMarkers: Handler<'labs.markers'> = async (_engine, { query }) => {
  const { LABS, loadMarkers } = await import('../catalogue/labs.ts')
  const wanted = query.lab_slug === undefined ? query.lab_id : labIds(query.lab_slug, LABS)
  const name = query.name.trim().toLowerCase()
  const found = (await loadMarkers()).filter(
    marker =>
      (wanted === undefined || wanted.includes(marker.lab_id as number)) &&
      (query.a_la_carte_enabled === undefined || marker.a_la_carte_enabled === query.a_la_carte_enabled) &&
      (name === '' ||
        marker.name.toLowerCase().includes(name) ||
        (marker.provider_id ?? '').toLowerCase().includes(name)),
  )
  const from = (query.page - 1) * query.size
  return ok({
    markers: structuredClone(found.slice(from, from + query.size)) as never,
    total: found.length,
    page: query.page,
    size: query.size,
    pages: Math.ceil(found.length / query.size),
  })
}

function labIds(slug: string, labs: readonly { readonly id: number; readonly slug: string }[]): number[] {
  const lab = labs.find(each => each.slug === slug)
  if (lab) return [lab.id]
  const slugs = labs.map(each => each.slug)
  const msg = `"${slug}" is not one of the labs.${didYouMean(slug, slugs)} Allowed: ${slugs.join(', ')}`
  throw invalid([{ loc: ['query', 'lab_slug'], msg, type: 'enum' }])
}
