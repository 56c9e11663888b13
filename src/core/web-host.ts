/** Checks the hosts of URLs. */

/**
 * Returns whether a parsed URL's host is a name or an IPv4 address in ordinary characters. The URL parser also accepts `;`, `,`, `*` and
 * quotes, which have a meaning in headers that contain the host.
 */
export function isPlainHost(hostname: string): boolean {
  return /^[a-z0-9._-]+$/.test(hostname)
}

/**
 * Returns the parsed URL, or null if the text is not one. In Node 20 and 22, `URL.canParse` returns false for all non-ASCII text once V8
 * has optimized it, after about 3,000 calls.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
