/**
 * The layout of every hosted page: one document with landmarks and without scripts, and headers that allow the page only to be read and
 * submitted.
 */
import type { FastifyReply } from 'fastify'
import { isPlainHost } from '../../core/web-host.ts'
import { type Html, html, type Part } from './html.ts'
import { STYLE_PATH } from './style.ts'

export interface HtmlPage {
  readonly title: string
  readonly body: Part
  /** HTTP status, 200 by default. */
  readonly status?: number
  /** URL to which the response to a form on the page may redirect, because browsers also apply `form-action` to redirects. */
  readonly leadsTo?: string | null
  /** A URL to which the page redirects at once. */
  readonly goesTo?: string
  /** The text above the page; by default, a text about connecting health data. */
  readonly heading?: string
  /**
   * The text of the last line; by default, this server's purpose. The text mentions a provider only on pages where the provider is known.
   */
  readonly notice?: string
}

const ABOUT = 'This server connects accounts at providers of health data to an application.'

/** Sends a page. `base` is the public URL's path, without a trailing slash. */
export function sendPage(reply: FastifyReply, base: string, page: HtmlPage): string {
  const { title, body, status = 200, leadsTo = null, goesTo, heading = 'Health data connection', notice = ABOUT } = page
  reply.code(status).type('text/html; charset=utf-8').header('content-security-policy', policy(leadsTo))
  const document: Html = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${goesTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${goesTo}">`}
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}${STYLE_PATH}">
</head>
<body>
<div class="sheet">
<header><p>${heading}</p></header>
<main>
${body}
</main>
<footer><p>${notice}</p></footer>
</div>
</body>
</html>
`
  return document.text
}

function policy(leadsTo: string | null): string {
  const target = leadsTo === null ? '' : ` ${policySource(leadsTo)}`
  return [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    `form-action 'self'${target}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * Returns a URL's origin in the form that a content security policy accepts. Returns only the scheme for a host that the policy's grammar
 * does not allow: an IPv6 address, or a host with a character that would end the source or mean another host.
 */
function policySource(href: string): string {
  const url = new URL(href)
  return isPlainHost(url.hostname) ? url.origin : url.protocol
}
