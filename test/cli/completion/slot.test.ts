/** The possible words at the cursor, for the real commands. */
import { describe, expect, it } from 'vitest'
import pjson from '../../../package.json' with { type: 'json' }
import { readTree } from '../../../src/cli/completion/manifest.ts'
import { slotAt } from '../../../src/cli/completion/slot.ts'
import { argumentSource, flagSource } from '../../../src/cli/completion/sources.ts'
import { root } from '../../kit/sandbox.ts'

const tree = readTree(root, pjson.oclif.topics)
const at = (words: string, current = '') => slotAt(tree, words.split(' ').filter(Boolean), current)
const names = (words: string, current = '') => at(words, current).names.map(({ value }) => value)

describe('the next word', () => {
  it('is a command, a topic or an alias, with its description', () => {
    expect(names('')).toEqual(expect.arrayContaining(['user', 'engine', 'serve', 'import', 'completion']))
    expect(names('user')).toEqual(expect.arrayContaining(['list', 'ls', 'delete', 'rm']))
    expect(names('engine snapshot')).toEqual(expect.arrayContaining(['save', 'rm']))
    expect(at('').names.find(({ value }) => value === 'user')?.description).toBe('Users of the team')
    expect(new Set(names('')).size).toBe(names('').length)
  })

  it('is completed in the same way after help', () => {
    expect(names('help user')).toEqual(names('user'))
    expect(names('help user get')).toEqual([])
  })

  it('can be an argument or a command if a topic is also a command', () => {
    expect(at('import')).toMatchObject({ source: 'files' })
    expect(names('import')).toEqual(expect.arrayContaining(['list', 'undo']))
  })

  it('is not completed after a word that is not a command', () => {
    expect(at('usr')).toEqual({ names: [], source: 'none', typed: '', before: '' })
  })
})

describe('a value', () => {
  it.each([
    ['user get', '', 'users'],
    ['user ls --profile', '', 'profiles'],
    ['timeseries get ada', '', 'resources'],
    ['summary get ada', '', 'summaries'],
    ['timeseries get --start 2026-01-01 ada', '', 'resources'],
    ['timeseries get ada steps --provider', '', 'providers'],
    ['timeseries get ada steps -o', '', 'files'],
    ['timeseries get -- ada', '', 'resources'],
    ['link demo ada', '', 'providers'],
    ['provider setup', '', 'live-providers'],
    ['provider status --user ada', '', 'live-providers'],
    ['engine snapshot restore', '', 'snapshots'],
    ['engine snapshot rm', '', 'snapshots'],
    ['engine snapshot save', '', 'none'],
    ['profile rm', '', 'profiles'],
    ['webhook get', '', 'endpoints'],
    ['event trigger', '', 'event-types'],
    ['aggregate query ada --select', '', 'selects'],
    ['engine salvage --to', '', 'folders'],
    ['engine copy --from', '', 'folders'],
  ])('after `svc %s` comes from the right source', (words, current, source) => {
    expect(at(words, current)).toMatchObject({ source, typed: '', before: '' })
  })

  it('may follow an equals sign or a comma', () => {
    expect(at('event list', '--user=ad')).toMatchObject({ source: 'users', typed: 'ad', before: '--user=' })
    expect(at('aggregate query ada --priority', 'oura,ga')).toMatchObject({ typed: 'ga', before: 'oura,' })
    expect(at('aggregate query ada', '--priority=oura,ga')).toMatchObject({ before: '--priority=oura,' })
  })

  it('is one of the flag’s options', () => {
    expect(names('user list --output')).toEqual(['table', 'json', 'ndjson', 'csv'])
    expect(names('user list', '--output=')).toContain('--output=csv')
  })
})

describe('a flag', () => {
  it('of the command comes before the global ones, and is not offered twice unless it can be repeated', () => {
    const all = names('timeseries get ada steps', '--')
    expect(all.indexOf('--start')).toBeLessThan(all.indexOf('--profile'))
    expect(names('timeseries get ada steps --start 2026-01-01', '--')).not.toContain('--start')
    expect(names('event list --type a', '--')).toContain('--type')
    expect(names('user list --', '--')).toEqual([])
  })

  it('is offered when no argument is left', () => {
    expect(names('user get ada')).toContain('--json')
  })
})

describe('the source tables', () => {
  it('cover every USER, PROVIDER and FILE of every command', () => {
    const unknown: string[] = []
    for (const { id, args, flags } of Object.values(tree.commands)) {
      for (const arg of Object.values(args)) {
        const isKnown = ['user', 'provider', 'file', 'endpoint', 'team'].includes(arg.name)
        if (isKnown && argumentSource(id, arg) === 'none') unknown.push(`${id} ${arg.name}`)
      }
      for (const flag of Object.values(flags)) {
        const isKnown = ['USER', 'SLUG', 'FILE', 'FOLDER', 'DIR', 'ENDPOINT', 'TEAM'].includes(flag.helpValue ?? '')
        if (isKnown && flagSource(id, flag) === 'none') unknown.push(`${id} --${flag.name}`)
      }
    }
    expect(unknown).toEqual([])
  })
})
