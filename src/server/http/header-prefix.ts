/**
 * Names that contain a prefix: `x-service-api-key`, `x-service-link-token` and `application/vnd.service.…`. A server can accept additional
 * prefixes, so that an existing client works unchanged. See docs/interface/README.md#interface-8.
 */
import { ServiceError } from '../../core/errors.ts'

const OWN_PREFIX = 'service'
const PREFIX = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/

/** Reads headers in every accepted spelling, and returns media types in the spelling that the client used. */
export interface HeaderPrefixes {
  /** Returns the value of `x-<prefix>-<name>`, or null if it is absent or empty. The server's own prefix takes precedence. */
  header(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    name: 'api-key' | 'link-token',
  ): string | null
  /** Returns an Accept header in which the server's own prefix replaces every other accepted prefix. */
  accept(accepted: string | undefined): string
  /** Returns the media type of a response, in the spelling that the Accept header used. */
  mediaType(own: string, accepted: string | undefined): string
}

/** Returns the prefixes that a server accepts. Throws ServiceError `usage` for a prefix that is not valid in a header name. */
export function headerPrefixes(extraPrefixes: readonly string[]): HeaderPrefixes {
  const extra = [...new Set(extraPrefixes.map(prefix => prefix.toLowerCase()))].filter(prefix => prefix !== OWN_PREFIX)
  for (const prefix of extra) {
    if (!PREFIX.test(prefix)) {
      throw new ServiceError(
        'usage',
        `"${prefix}" is not a valid header prefix. A prefix has up to 32 letters, digits and inner hyphens, for example "acme" for x-acme-api-key.`,
      )
    }
  }
  const prefixes = [OWN_PREFIX, ...extra]
  const spelt = new Map<string, readonly string[]>()
  return {
    header(headers, name) {
      let spellings = spelt.get(name)
      if (spellings === undefined) {
        spellings = prefixes.map(prefix => `x-${prefix}-${name}`)
        spelt.set(name, spellings)
      }
      for (const spelling of spellings) {
        const value = headers[spelling]
        const text = Array.isArray(value) ? value[0] : value
        if (text !== undefined && text !== '') return text
      }
      return null
    },
    accept(accepted) {
      let accept = accepted === undefined || accepted.trim() === '' ? '*/*' : accepted
      for (const prefix of extra) accept = respell(accept, prefix, OWN_PREFIX)
      return accept
    },
    mediaType(own, accepted) {
      const accept = (accepted ?? '').toLowerCase()
      if (accept.includes(own)) return own
      const prefix = extra.find(candidate => accept.includes(respell(own, OWN_PREFIX, candidate)))
      return prefix === undefined ? own : respell(own, OWN_PREFIX, prefix)
    },
  }
}

function respell(text: string, from: string, to: string): string {
  return text.replace(new RegExp(`\\bapplication/vnd\\.${from}\\.`, 'gi'), `application/vnd.${to}.`)
}
