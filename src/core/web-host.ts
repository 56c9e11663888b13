/** Checks the hosts of URLs. */

/**
 * Tells whether the host of a parsed URL is a name or an IPv4 address in ordinary characters. The URL parser also accepts `;`, `,`, `*` and
 * quotes, which have a meaning in headers that contain the host.
 */
export function isPlainHost(hostname: string): boolean {
  return /^[a-z0-9._-]+$/.test(hostname)
}
