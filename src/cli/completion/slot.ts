/** Determines what kind of word is at the cursor: a command name, a flag, or a value. */
import type { CommandEntry, Flag, Tree, Word } from './manifest.ts'
import { argumentSource, flagSource } from './sources.ts'
import type { Candidate, ValueSource } from './values.ts'

/** Possible words at the cursor. */
export interface Slot {
  /** Known words. */
  readonly names: readonly Candidate[]
  /** Source of further words. */
  readonly source: ValueSource
  /** The part of the value that has been typed so far. */
  readonly typed: string
  /** Text before the value in the same word, such as `--user=`. */
  readonly before: string
}

const NOTHING: Slot = { names: [], source: 'none', typed: '', before: '' }

/** Returns the possible completions of `current`, the word at the cursor. `words` are the words between `svc` and `current`. */
export function slotAt(tree: Tree, words: readonly string[], current: string): Slot {
  const isHelp = words[0] === 'help'
  const given = isHelp ? words.slice(1) : words
  const path = commandPath(tree, given)
  const rest = given.slice(path.length)
  const names = rest.length === 0 && !current.startsWith('-') ? nextWords(tree, path) : []
  const command = isHelp ? undefined : commandNamed(tree, path.join(':'))
  if (!command) return rest.length === 0 ? { ...NOTHING, names } : NOTHING
  const slot = slotIn(command, rest, current)
  return { ...slot, names: [...names, ...slot.names] }
}

/** Returns the leading words that form the name of a command or topic. */
function commandPath(tree: Tree, words: readonly string[]): readonly string[] {
  const ids = commandIds(tree)
  let length = 0
  while (length < words.length && ids.some(id => `${id}:`.startsWith(`${words.slice(0, length + 1).join(':')}:`)))
    length++
  return words.slice(0, length)
}

function commandIds(tree: Tree): readonly string[] {
  const shown = Object.values(tree.commands).filter(({ hidden }) => hidden !== true)
  return shown.flatMap(({ id, aliases }) => [id, ...aliases])
}

function commandNamed({ commands }: Tree, id: string): CommandEntry | undefined {
  return commands[id] ?? Object.values(commands).find(({ aliases }) => aliases.includes(id))
}

/** Returns the commands and topics that can follow, without duplicates. */
function nextWords(tree: Tree, path: readonly string[]): readonly Candidate[] {
  const start = path.map(word => `${word}:`).join('')
  const found = new Map<string, string | undefined>()
  for (const id of commandIds(tree)) {
    if (!id.startsWith(start)) continue
    const [word = ''] = id.slice(start.length).split(':')
    const command = commandNamed(tree, start + word)
    found.set(word, tree.topics[start + word]?.description ?? command?.summary ?? command?.description)
  }
  return [...found].map(([value, description]) => ({ value, description }))
}

/** Returns the possible words at the cursor after the arguments and flags of a command. */
function slotIn(command: CommandEntry, rest: readonly string[], current: string): Slot {
  const flags = Object.values(command.flags)
  const given = new Set<string>()
  let pending: Flag | undefined
  let isAfterDashes = false
  let position = 0
  for (const word of rest) {
    if (pending) pending = undefined
    else if (isAfterDashes || !word.startsWith('-') || word === '-') position++
    else if (word === '--') isAfterDashes = true
    else {
      const flag = flags.find(({ name, char }) => `--${name}` === word.split('=', 1)[0] || `-${char}` === word)
      if (flag) given.add(flag.name)
      pending = flag?.type === 'option' && !word.includes('=') ? flag : undefined
    }
  }
  if (pending) return valueAt(pending, flagSource(command.id, pending), { typed: current, before: '' })
  if (!isAfterDashes && current.startsWith('-')) return flagSlot(command, given, current)
  const args = Object.values(command.args)
  const arg = args[position] ?? (command.strict === false ? args.at(-1) : undefined)
  if (arg) return valueAt(arg, argumentSource(command.id, arg), { typed: current, before: '' })
  return isAfterDashes ? NOTHING : { ...NOTHING, names: flagNames(flags, given) }
}

function flagSlot(command: CommandEntry, given: ReadonlySet<string>, current: string): Slot {
  const flags = Object.values(command.flags)
  const at = current.indexOf('=')
  if (at === -1) return { ...NOTHING, names: flagNames(flags, given) }
  const flag = flags.find(({ name, type }) => type === 'option' && `--${name}` === current.slice(0, at))
  if (!flag) return NOTHING
  return valueAt(flag, flagSource(command.id, flag), { typed: current.slice(at + 1), before: current.slice(0, at + 1) })
}

/**
 * Returns the possible flags, with the command's own flags first. A flag that was already given appears again only if it can be repeated.
 */
function flagNames(flags: readonly Flag[], given: ReadonlySet<string>): readonly Candidate[] {
  const left = flags.filter(({ name, hidden, multiple }) => hidden !== true && (multiple === true || !given.has(name)))
  const names = (flag: Flag) => (flag.allowNo ? [`--${flag.name}`, `--no-${flag.name}`] : [`--${flag.name}`])
  const all = [...left.filter(({ helpGroup }) => !helpGroup), ...left.filter(({ helpGroup }) => helpGroup)]
  return [
    ...all.flatMap(flag => names(flag).map(value => ({ value, description: flag.description }))),
    { value: '--help', description: 'Show help' },
  ]
}

type TypedPart = Pick<Slot, 'typed' | 'before'>

function valueAt({ options }: Word, source: ReturnType<typeof flagSource>, { typed, before }: TypedPart): Slot {
  if (options) return { ...NOTHING, names: options.map(value => ({ value: before + value })) }
  if (typeof source === 'string') return { names: [], source, typed, before }
  const start = typed.lastIndexOf(',') + 1
  return { names: [], source: source.elements, typed: typed.slice(start), before: before + typed.slice(0, start) }
}
