/** Finds labs by their slugs. */
import { LABS, LABS_WITHOUT_MARKERS } from '../../catalogue/labs/labs.ts'
import { didYouMean, invalid } from '../../core/errors.ts'

/**
 * Returns the IDs of the lab with this slug. Returns none for a slug that the API defines but the catalogue does not contain. Throws 422
 * for an unknown slug.
 */
export function labIds(slug: string): number[] {
  const lab = LABS.find(each => each.slug === slug)
  if (lab) return [lab.id]
  if (LABS_WITHOUT_MARKERS.includes(slug)) return []
  const slugs = [...LABS.map(each => each.slug), ...LABS_WITHOUT_MARKERS]
  const msg = `must be one of the labs.${didYouMean(slug, slugs)} Allowed: ${slugs.join(', ')}`
  throw invalid([{ loc: ['query', 'lab_slug'], msg, type: 'enum' }])
}
