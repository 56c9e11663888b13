/** The picture of a terminal in the README: real commands on a pseudo-terminal, as a page that a browser can show. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { NOW } from './server.mjs'

const binary = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const COLUMNS = 92

/** Commands before the picture. */
const PREPARED = [
  ['engine', 'clock', 'set', new Date(NOW).toISOString()],
  ['user', 'create', 'alice', '--fallback-time-zone', 'UTC'],
  ['link', 'password', 'whoop', '--user', 'alice', '--username', 'alice@example.com', '--password-stdin'],
]
/** Commands in the picture. */
const SHOWN = [
  ['aggregate', 'query', 'alice', '--select', 'mean(sleep.efficiency)', '--group-by', '1w', '--past', '4w'],
  ['aggregate', 'query', 'alice', '--select', 'sum(steps)', '--group-by', '1d', '--past', '14d', '--chart'],
]
const CLASSES = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
  90: 'dim',
}

/** Returns the page, whose `main` element is the terminal. */
export async function terminalPage() {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-terminal-'))
  try {
    for (const args of PREPARED)
      execFileSync(process.execPath, [binary, ...args], {
        cwd: folder,
        env: environment(folder),
        input: 'any-password',
      })
    const screens = []
    for (const args of SHOWN)
      screens.push(
        `<b class="dim">$</b> svc ${escaped(args.map(quoted).join(' '))}\n${html(await output(args, folder))}`,
      )
    return document(screens.join('\n'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function environment(folder) {
  const own = { SVC_DATA_DIR: path.join(folder, 'data'), SVC_CONFIG_DIR: path.join(folder, 'config'), SVC_PAGER: 'cat' }
  return { ...process.env, ...own }
}

/** Runs svc on a pseudo-terminal and returns what it writes. Throws if it fails. */
async function output(args, folder) {
  const env = environment(folder)
  const terminal = spawn(process.execPath, [binary, ...args], {
    name: 'xterm-256color',
    cols: COLUMNS,
    rows: 24,
    cwd: folder,
    env,
  })
  let text = ''
  terminal.onData(data => (text += data))
  const { exitCode } = await new Promise(resolve => terminal.onExit(resolve))
  if (exitCode !== 0) throw new Error(`svc ${args.join(' ')} ended with ${exitCode}: ${text}`)
  return text
}

/** A control sequence of a terminal. */
const SEQUENCE = new RegExp(`${String.fromCodePoint(27)}\\[([\\d;?]*)([A-Za-z])`)

const quoted = arg => (/^[\w:./-]+$/.test(arg) ? arg : `'${arg}'`)
/** Fonts for braille, which charts consist of, have a different width. */
const escaped = text =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\u2800-\u28ff]/g, '<i>$&</i>')

/** Converts colors and bold to elements; other control sequences are removed. */
function html(text) {
  const pieces = text.replaceAll('\r', '').split(SEQUENCE)
  let classes = []
  let result = escaped(pieces[0])
  for (let i = 1; i < pieces.length; i += 3) {
    const [codes, letter, plain] = pieces.slice(i, i + 3)
    if (letter === 'm') {
      for (const code of (codes || '0').split(';'))
        classes = ['0', '22', '39'].includes(code) ? [] : [...classes, CLASSES[code]].filter(Boolean)
    }
    result += classes.length === 0 ? escaped(plain) : `<span class="${classes.join(' ')}">${escaped(plain)}</span>`
  }
  return result
}

function document(body) {
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; background: #0d1117 }
    main { display: inline-block; padding: 20px 24px; background: #0d1117; color: #d5dbe3 }
    pre { margin: 0; font: 14px/1.3 'DejaVu Sans Mono', monospace }
    i { display: inline-block; font-style: normal; font-size: 12px; width: 8.43px; line-height: 1 }
    .bold { font-weight: bold } .dim { color: #7d8794 }
    .red { color: #ff7b72 } .green { color: #7ee787 } .yellow { color: #e3b341 } .blue { color: #79c0ff } .magenta { color: #d2a8ff } .cyan { color: #76e3ea }
  </style><main><pre>${body}</pre></main>`
}
