/** The document that loads the console. All console pages are this one document. */
import type { FastifyReply } from 'fastify'
import { operations } from '../../contract/operations.ts'
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

/** The request for the document. */
interface Visit {
  /** The path of the page, without the base. */
  readonly path: string
  /** Whether the browser has a session's cookie. */
  readonly hasSession: boolean
}

/** What every page requests at its start, and what single pages request in addition. */
const DATA = ['/console/session', operations['clock.get'].path]
const PAGE_DATA: Readonly<Record<string, string>> = { '/console': operations['engine.overview'].path }

/** Sends the document. The browser requests the code of the page, and the data that need no other response, before it runs the scripts. */
export function sendShell(
  reply: FastifyReply,
  { path, hasSession }: Visit,
  { base, passkeys }: ShellData,
  { entry, preload, pages, styles }: Manifest,
): string {
  const scripts = [...preload, ...(pages.find(page => matches(path, page.path))?.preload ?? [])]
  const data = hasSession ? [...DATA, PAGE_DATA[path] ?? []].flat() : []
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
${styles.map(name => html`<link rel="stylesheet" href="${assets}${name}">\n`)}${scripts.map(name => html`<link rel="modulepreload" href="${assets}${name}">\n`)}${data.map(from => html`<link rel="preload" as="fetch" href="${base}${from}" crossorigin>\n`)}<script type="module" src="${assets}${entry}"></script>
</head>
<body>
<div id="console"></div>
<noscript><p>The console needs JavaScript. The svc commands do the same in a terminal.</p></noscript>
</body>
</html>
`.text
}

/** Returns whether a path has the form of a page's, such as `/console/users/:userId`. */
function matches(path: string, page: string): boolean {
  const [parts, wanted] = [path.split('/'), page.split('/')]
  return parts.length === wanted.length && wanted.every((part, i) => part === parts[i] || part.startsWith(':'))
}
