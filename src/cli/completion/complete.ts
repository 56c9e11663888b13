/** `svc complete`: called by a shell's completion script at every Tab. Hidden, because people call `svc completion`. */
import pjson from '../../../package.json' with { type: 'json' }
import type { ServiceClient } from '../../client/client.ts'
import { resolveSettings, type SettingFlags } from '../../profile/settings.ts'
import { openService } from '../runtime/service.ts'
import { readTree } from './manifest.ts'
import { asBashReply, readBashLine } from './shell-words.ts'
import { isShell, type Shell } from './shells.ts'
import { slotAt } from './slot.ts'
import { type Candidate, completeValues } from './values.ts'

/** Time limit for a server. It is short, because a person has pressed Tab and is waiting. */
const SERVER_MS = 800
/** Total time limit, after which nothing is printed. */
const DEADLINE_MS = 1_500

/**
 * Prints the possible words at the cursor, in the form that shells.ts describes, or nothing. Never prompts, reports an error or creates a
 * data folder, because it runs while a person types. `root` is the folder of package.json.
 */
export async function complete(argv: readonly string[], root: string): Promise<void> {
  const deadline = setTimeout(() => process.exit(0), DEADLINE_MS)
  try {
    const lines = await completionLines(argv, root)
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
  } catch {
    // a message would appear in the middle of the user's input
  } finally {
    clearTimeout(deadline)
  }
}

async function completionLines(argv: readonly string[], root: string): Promise<readonly string[]> {
  const [shell, marked, ...rest] = argv
  if (!isShell(shell) || marked === undefined) return []
  const given = marked.slice(1)
  if (shell !== 'bash') return lines(shell, await candidatesAt(root, rest, given))
  const line = readBashLine(given, rest[0] ?? '')
  const found = await candidatesAt(root, line.words.slice(1), line.current)
  return lines(shell, found, word => asBashReply(word, line))
}

interface Completions {
  readonly kind: 'values' | 'files' | 'folders'
  readonly candidates: readonly Candidate[]
}

async function candidatesAt(root: string, words: readonly string[], current: string): Promise<Completions> {
  const slot = slotAt(readTree(root, pjson.oclif.topics), words, current)
  const { source, before, typed } = slot
  const kind = source === 'files' || source === 'folders' ? source : 'values'
  const values = await completeValues(source, typed, () => openTyped(words))
  const names = slot.names.filter(({ value }) => value.startsWith(current))
  const candidates = [...names, ...values.map(each => ({ ...each, value: before + each.value }))]
  // values with tabs or line breaks would corrupt the output
  return { kind, candidates: candidates.filter(({ value }) => !/[\t\r\n]/.test(value)) }
}

function lines(shell: Shell, { kind, candidates }: Completions, quoted = (word: string) => word): readonly string[] {
  if (kind === 'values' && candidates.length === 0) return []
  const shown = candidates.map(({ value, description }) => {
    // bash shows no descriptions
    const text = shell === 'bash' ? '' : (description ?? '').replace(/\s+/g, ' ')
    return text === '' ? quoted(value) : `${quoted(value)}\t${text}`
  })
  return [kind, ...shown]
}

/** Opens the service selected by the typed flags, the environment variables and the profile. Throws if it does not exist yet. */
async function openTyped(words: readonly string[]): Promise<ServiceClient> {
  return openService(resolveSettings(typedFlags(words)), { mostMs: SERVER_MS })
}

/** Reads the flags that select a service. They may contain `~` and variables, because the shell has not expanded the line yet. */
function typedFlags(words: readonly string[]): SettingFlags {
  const value = (name: string): string | undefined => {
    const at = words.findIndex(word => word === `--${name}` || word.startsWith(`--${name}=`))
    const word = words[at]
    if (word === undefined) return undefined
    return expanded(word.includes('=') ? word.slice(word.indexOf('=') + 1) : (words[at + 1] ?? ''))
  }
  return {
    profile: value('profile'),
    baseUrl: value('base-url'),
    dataDir: value('data-dir'),
    store: value('store'),
  }
}

/** Expands `~/` at the start, and `$NAME` and `${NAME}`. */
function expanded(text: string): string {
  const home = process.env['HOME'] ?? '~'
  return text
    .replace(/^~(?=\/|$)/, () => home)
    .replace(/\$(\w+)|\$\{(\w+)\}/g, (_, plain, braced) => process.env[plain ?? braced] ?? '')
}
