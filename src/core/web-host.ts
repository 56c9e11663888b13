/** Hosts of URLs. */

/**
 * Whether the host of a parsed URL is a name or an IPv4 address in ordinary characters. The parser also lets through `;`, `,`, `*`
 * and quotes, which mean something in headers that a host is put into.
 */
export function isPlainHost(hostname: string): boolean {
  return /^[a-z0-9._-]+$/.test(hostname)
}
