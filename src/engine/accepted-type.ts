/** Chooses a response's media type from those that the caller accepts. */
import { ServiceError } from '../core/errors.ts'

/**
 * Returns the offered type that the caller prefers. If the caller prefers several equally, returns the first of them in `offered`, which is
 * in our order of preference. Throws 406 if the caller accepts none of them.
 */
export function acceptedType(accept: string, offered: readonly string[]): string {
  const weights = accept.split(',').map(part => {
    const [type = '', ...rest] = part.split(';').map(text => text.trim().toLowerCase())
    const q = rest.find(text => text.startsWith('q='))
    return { type: type === '' ? '*/*' : type, weight: q === undefined ? 1 : Number(q.slice(2)) }
  })
  const weightOf = (wanted: string): number => {
    const family = `${wanted.split('/', 1)[0]}/*`
    for (const name of [wanted, family, '*/*']) {
      const found = weights.find(each => each.type === name)
      if (found) return found.weight
    }
    return 0
  }
  let best: { readonly type: string; readonly weight: number } | undefined
  for (const type of offered) {
    const weight = weightOf(type)
    if (weight > 0 && weight > (best?.weight ?? 0)) best = { type, weight }
  }
  if (best) return best.type
  throw new ServiceError(
    'not_acceptable',
    `The service cannot respond in any of the accepted media types. Accept ${offered.join(' or ')}.`,
  )
}
