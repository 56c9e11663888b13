/**
 * Writes a manual page for the program, every topic and every command to dist/man: `man svc-user-create`. They are made from the manifest,
 * like help, in the same build step (scripts/help-pages.mjs). `npm install -g` links those that `man` in package.json lists.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Characters that roff would read as a command, or replace with a typographic sign that cannot be pasted into a shell. */
const ESCAPES = { '\\': '\\e', '-': '\\-', "'": '\\(aq', '`': '\\(ga', '^': '\\(ha', '~': '\\(ti', '"': '\\(dq' }

/** A text in one roff line, with any first character. */
export function roff(text) {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\'`^~"-]/g, sign => ESCAPES[sign])
    .replaceAll(/[^\x20-\x7e]/gu, sign => `\\[u${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
  return line.startsWith('.') ? `\\&${line}` : line
}

/** The meaning of each error category. A category without a text fails the build. */
const EXITS = {
  bug: 'A bug in svc. The message says how to report it.',
  usage: 'The command line or the request is invalid.',
  not_found: 'What was named does not exist.',
  auth: 'The key is missing, wrong, or not allowed to do this.',
  refused: 'The service refused the request.',
  link: 'The sign-in at a provider failed.',
  network: 'The server could not be reached, or it failed.',
  cancelled: 'Cancelled with Ctrl-C.',
}

const bold = text => `\\fB${roff(text)}\\fR`
const italic = text => `\\fI${roff(text)}\\fR`
/** A list of values, whose line may end after each. */
const breakable = text => text.replaceAll(/[|,]/g, '$&\\:')
const pageOf = id => ['svc', ...id.split(':')].filter(Boolean).join('-')
const reference = id => `${bold(pageOf(id))}(1)`
const section = (title, lines) => (lines.length === 0 ? [] : [`.SH ${title}`, ...lines])

/** Prose: empty lines separate paragraphs, and text in backquotes is bold. */
function prose(text = '') {
  const paragraphs = text.split(/\n{2,}/).filter(paragraph => paragraph.trim() !== '')
  return paragraphs.flatMap(paragraph => [
    '.PP',
    paragraph
      .split(/`([^`]+)`/)
      .map(styled)
      .join(''),
  ])
}

function styled(piece, index) {
  if (index % 2 === 1) return bold(piece)
  const [start] = /^\s/.exec(piece) ?? ['']
  const [end] = /\S(\s)$/.exec(piece)?.slice(1) ?? ['']
  return `${start && ' '}${roff(piece)}${end && ' '}`
}

function entry(term, text) {
  return ['.TP', term, roff(text) || '\\&']
}

function flagEntry(flag) {
  const value = flag.options ? flag.options.join('|') : (flag.helpValue ?? 'VALUE')
  const name = `\\fB\\-\\-${flag.allowNo ? '\\fR[\\fBno\\-\\fR]\\fB' : ''}${roff(flag.name)}\\fR`
  const term = `${flag.char ? `${bold(`-${flag.char}`)}, ` : ''}${name}${flag.type === 'boolean' ? '' : `=${breakable(italic(value))}`}`
  const notes = [
    flag.multiple && !/repeated/.test(flag.description) ? 'can be repeated' : '',
    flag.required ? 'required' : '',
    flag.default === undefined || flag.type === 'boolean' ? '' : `default ${flag.default}`,
    flag.env ? `variable ${flag.env}` : '',
  ].filter(Boolean)
  return entry(term, `${[flag.description ?? '', ...notes].join('; ')}.`)
}

function argumentEntry(arg) {
  const name = italic(arg.name.toUpperCase())
  return entry(arg.required ? name : `[${name}]`, `${arg.description}.`)
}

function examples({ examples: lines = [], id }) {
  const filled = lines.map(line =>
    line.replaceAll('<%= config.bin %>', 'svc').replaceAll('<%= command.id %>', id.replaceAll(':', ' ')),
  )
  return filled.flatMap((line, index) => [...(index === 0 ? [] : ['.PP']), '.RS 4', '.nf', roff(line), '.fi', '.RE'])
}

function page(id, version, summary, sections) {
  return `${[
    `.TH "${roff(pageOf(id).toUpperCase())}" "1" "" "svc ${roff(version)}" "svc manual"`,
    // no hyphenation and no stretched lines: names of flags and commands stay in one piece
    '.nh',
    '.ad l',
    '.SH NAME',
    `${roff(pageOf(id))} \\- ${roff(summary)}`,
    ...sections,
  ].join('\n')}\n`
}

/** The ids of all commands and topics, sorted. */
function documented({ commands }, oclif) {
  const shown = Object.values(commands).filter(command => command.id !== 'help' && !command.hidden)
  return [...new Set([...Object.keys(oclif.topics), ...shown.map(command => command.id)])].sort()
}

/** The files that package.json lists: npm links only listed pages, whatever `directories` says. */
export function manFiles(manifest, oclif) {
  return ['', ...documented(manifest, oclif)].map(id => `dist/man/${pageOf(id)}.1`)
}

/** Name and text of every page. `exitCodes` are the exit codes by category. */
export function manPages({ manifest, oclif, description, exitCodes }) {
  const { version } = manifest
  const commands = new Map(Object.entries(manifest.commands))
  const topics = new Map(Object.entries(oclif.topics).map(([id, topic]) => [id, topic.description]))
  const summaryOf = id => commands.get(id)?.summary ?? topics.get(id)
  const ids = documented(manifest, oclif)
  const parentOf = id => id.split(':').slice(0, -1).join(':')
  const listed = parent =>
    ids.filter(id => parentOf(id) === parent).flatMap(id => entry(reference(id), `${summaryOf(id)}.`))
  const global = Object.values([...commands.values()][0].flags).filter(flag => flag.helpGroup === 'GLOBAL')

  function seeAlso(id) {
    const above = id.split(':').map((_, index, words) => words.slice(0, index).join(':'))
    return section('SEE ALSO', [above.map(reference).join(', ')])
  }

  function commandPage(command) {
    const own = Object.values(command.flags).filter(flag => flag.helpGroup !== 'GLOBAL' && !flag.hidden)
    const shared = Object.values(command.flags).filter(flag => flag.helpGroup === 'GLOBAL')
    const args = Object.values(command.args)
    const usage = [
      bold(`svc ${command.id.replaceAll(':', ' ')}`),
      ...args.map(arg => (arg.required ? italic(arg.name.toUpperCase()) : `[${italic(arg.name.toUpperCase())}]`)),
      ...own
        .filter(flag => flag.required)
        .map(flag => `${bold(`--${flag.name}`)} ${italic(flag.helpValue ?? 'VALUE')}`),
      `[${italic('FLAGS')}]`,
    ]
    return page(command.id, version, command.summary, [
      ...section('SYNOPSIS', [usage.join(' ')]),
      ...section('DESCRIPTION', prose(command.description || `${command.summary}.`)),
      ...section('ARGUMENTS', args.flatMap(argumentEntry)),
      ...section('FLAGS', own.flatMap(flagEntry)),
      ...section('GLOBAL FLAGS', shared.flatMap(flagEntry)),
      ...section('EXAMPLES', examples(command)),
      ...section('COMMANDS', listed(command.id)),
      ...seeAlso(command.id),
    ])
  }

  function topicPage(id) {
    return page(id, version, topics.get(id), [
      ...section('SYNOPSIS', [`${bold(`svc ${id.replaceAll(':', ' ')}`)} ${italic('COMMAND')} [${italic('FLAGS')}]`]),
      ...section('COMMANDS', listed(id)),
      ...seeAlso(id),
    ])
  }

  const program = page('', version, description, [
    ...section('SYNOPSIS', [`${bold('svc')} ${italic('COMMAND')} [${italic('FLAGS')}]`]),
    ...section('DESCRIPTION', [
      `${roff('Every command has a page of its own, such as')} ${reference('user:create')}${roff(', and the same text in')} ${bold('svc user create --help')}.`,
    ]),
    ...section('COMMANDS', listed('')),
    ...section('GLOBAL FLAGS', global.flatMap(flagEntry)),
    ...section('EXIT STATUS', [
      ...entry('0', 'Success.'),
      ...Object.entries(exitCodes).flatMap(([category, code]) => entry(`${code}`, EXITS[category])),
    ]),
  ])
  return new Map([
    ['svc.1', program],
    ...ids.map(id => [`${pageOf(id)}.1`, commands.has(id) ? commandPage(commands.get(id)) : topicPage(id)]),
  ])
}

/** Writes the pages, replacing those of the last build. */
export function writeManPages(folder, facts) {
  const fresh = `${folder}.${process.pid}.tmp`
  mkdirSync(fresh, { recursive: true })
  for (const [name, text] of manPages(facts)) writeFileSync(path.join(fresh, name), text)
  rmSync(folder, { recursive: true, force: true })
  renameSync(fresh, folder)
}
