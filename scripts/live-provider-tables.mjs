/**
 * The tables of docs/live-providers.md, read from the live connectors: URLs, scopes, collections, limits, settings, the mapping, and what
 * was not checked with a real account. Each is between two comments, `<!-- generated: provider SLUG -->` and `<!-- end -->`; the text
 * around them is written by hand.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const PAGE = 'live-providers.md'
const BLOCK = /<!-- generated: provider ([a-z0-9_]+) -->\n[\s\S]*?<!-- end -->/g

/** Path within docs/ and text of the page, its tables filled in. Every live connector has a section on it. */
export async function livePages(root) {
  const { LIVE_PROVIDERS, liveConnector } = await connectors(root)
  const text = readFileSync(path.join(root, 'docs', PAGE), 'utf8')
  const connectorsBySlug = new Map()
  for (const slug of LIVE_PROVIDERS) connectorsBySlug.set(slug, await liveConnector(slug))
  const described = new Set()
  const filled = text.replace(BLOCK, (_, slug) => {
    const connector = connectorsBySlug.get(slug)
    if (connector === undefined) throw new Error(`docs/${PAGE} describes ${slug}, which has no live connector`)
    described.add(slug)
    return [`<!-- generated: provider ${slug} -->`, '', ...tables(connector), '', '<!-- end -->'].join('\n')
  })
  const missing = LIVE_PROVIDERS.filter(slug => !described.has(slug))
  if (missing.length > 0) throw new Error(`docs/${PAGE} does not describe ${missing.join(', ')}`)
  return new Map([[PAGE, filled]])
}

function tables(connector) {
  return [
    ...table('What is requested.', ['scope', 'for', 'required', 'without it'], connector.scopes.map(scopeRow)),
    '',
    ...table(
      'What is pulled.',
      ['collection', 'fills', 'scopes', 'history', 'a window', 'again after', 'overlap'],
      connector.collections.map(collectionRow),
    ),
    '',
    ...table('How it is mapped.', ['at the provider', 'here', 'rule'], connector.mapping.map(mappingRow)),
    '',
    ...kindTable(connector.kinds),
    ...table(
      'URLs and settings.',
      ['flag', 'default', ''],
      [
        ['`--authorize-url`', `\`${connector.defaults.authorizeUrl}\``, 'consent page'],
        ['`--token-url`', `\`${connector.defaults.tokenUrl}\``, 'exchanges and refreshes tokens'],
        ['`--api-url`', `\`${connector.defaults.apiUrl}\``, 'data'],
        ...connector.settings.map(settingRow),
      ],
    ),
    '',
    `Limits that svc keeps: ${connector.limits.map(limitText).join('; ')}. A response may take ${span(connector.responseTimeoutMs)}.`,
    '',
    'Not checked with a real account:',
    '',
    ...connector.unchecked.map(each => `- ${each}`),
  ]
}

function table(title, head, rows) {
  return [
    title,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---|').join('')}`,
    ...rows.map(row => `| ${row.map(text => text.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`),
  ]
}

function kindTable(kinds) {
  const rows = Object.entries(kinds).map(([resource, names]) => [resource, names.map(each => `\`${each}\``).join(', ')])
  return rows.length === 0
    ? []
    : [...table('Which [kinds of values](interface/kinds.md) it supplies.', ['resource', 'kinds'], rows), '']
}

function scopeRow({ name, description, required, resources }) {
  const lost = required ? 'no connection' : resources.length === 0 ? 'less detail' : `no ${resources.join(', ')}`
  return [`\`${name}\``, description, required ? 'yes' : 'no', lost]
}

function collectionRow({ name, resources, scopes, historyDays, emptyWindows, windowDays, pollMs, overlapDays }) {
  const isUnlimited = !Number.isFinite(historyDays)
  return [
    `\`${name}\``,
    resources.join(', '),
    scopes.map(each => `\`${each}\``).join(', ') || 'any',
    isUnlimited
      ? `until ${count(emptyWindows ?? 1, 'window')} in a row ${emptyWindows === 1 ? 'has' : 'have'} nothing`
      : count(historyDays, 'day'),
    count(windowDays, 'day'),
    span(pollMs),
    count(overlapDays, 'day'),
  ]
}

function mappingRow({ from, to, rule }) {
  return [`\`${from}\``, to, rule]
}

function settingRow({ name, description, default: value, values }) {
  const allowed = values === undefined ? '' : `: ${values.map(each => `\`${each}\``).join(', ')}`
  return [`\`--setting ${name}=…\``, value === '' ? 'none' : `\`${value}\``, `${description}${allowed}`]
}

function limitText({ scope, most, windowMs, mostForEachPerson }) {
  const more = mostForEachPerson === undefined ? '' : `, and ${number(mostForEachPerson)} more for each live connection`
  return `${number(most)} requests in ${span(windowMs)} for ${scope === 'app' ? 'the whole OAuth app' : 'each person'}${more}`
}

function span(ms) {
  for (const [unit, size] of [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ]) {
    if (ms >= size && ms % size === 0) return count(ms / size, unit)
  }
  return `${ms} ms`
}

function count(n, unit) {
  return `${number(n)} ${unit}${n === 1 ? '' : 's'}`
}

function number(n) {
  return n.toLocaleString('en-US')
}

/** The connectors, bundled in memory and imported from there. */
async function connectors(root) {
  const result = await build({
    entryPoints: [path.join(root, 'src/connectors/live/live-connectors.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  const url = `data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString('base64')}`
  return import(url)
}
