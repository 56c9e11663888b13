/** What every hosted page is: one document with landmarks, no script, and headers that let it do nothing but be read and sent. */
import type { FastifyReply } from 'fastify'
import { isPlainHost } from '../../core/web-host.ts'
import { type Html, html, type Part } from './html.ts'
import { STYLE_PATH } from './style.ts'

export interface Page {
  readonly title: string
  readonly body: Part
  /** 200 unless said otherwise. */
  readonly status?: number
  /** Where the answer to a form of the page may lead: browsers hold `form-action` against redirects too. */
  readonly leadsTo?: string | null
}

/** Sends a page; `base` is the path of the public URL, without a slash at its end. */
export function sendPage(reply: FastifyReply, base: string, page: Page): string {
  const { title, body, status = 200, leadsTo = null } = page
  reply.code(status).type('text/html; charset=utf-8').header('content-security-policy', policy(leadsTo))
  const document: Html = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}${STYLE_PATH}">
</head>
<body>
<div class="sheet">
<header><p>Health data connection</p></header>
<main>
${body}
</main>
<footer><p>Simulated providers: nothing that is typed here leaves this server. Never type a real password.</p></footer>
</div>
</body>
</html>
`
  return document.text
}

function policy(leadsTo: string | null): string {
  const target = leadsTo === null ? '' : ` ${sourceOf(leadsTo)}`
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
 * An origin as a policy takes it. What has no place in its grammar leaves only the scheme: an IPv6 address, and a host with a
 * character that would end the source or mean another host.
 */
function sourceOf(address: string): string {
  const url = new URL(address)
  return isPlainHost(url.hostname) ? url.origin : url.protocol
}
