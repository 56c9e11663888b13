/** The document that loads the console. All console pages are this one document. */
import type { FastifyReply } from 'fastify'
import { html } from '../pages/html.ts'
import type { Manifest } from './assets.ts'

/** The content security policy: no inline code, and nothing from other hosts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What the scripts find in the document's `data-` attributes. */
interface ShellData {
  /** The public URL's path, without a trailing slash. */
  readonly base: string
  /** The origin at which passkeys work; empty if they work nowhere. */
  readonly passkeys: string
}

/** Sends the document. */
export function sendShell(
  reply: FastifyReply,
  { base, passkeys }: ShellData,
  { entry, preload, styles }: Manifest,
): string {
  reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': POLICY, 'cross-origin-opener-policy': 'same-origin' })
  const assets = `${base}/console/assets/`
  return html`<!doctype html>
<html lang="en" data-base="${base}" data-passkeys="${passkeys}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>svc console</title>
<link rel="icon" href="data:,">
${styles.map(name => html`<link rel="stylesheet" href="${assets}${name}">\n`)}${preload.map(name => html`<link rel="modulepreload" href="${assets}${name}">\n`)}<script type="module" src="${assets}${entry}"></script>
</head>
<body>
<div id="console"></div>
<noscript><p>The console needs JavaScript. The svc commands do the same in a terminal.</p></noscript>
</body>
</html>
`.text
}
