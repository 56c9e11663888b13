/** The parts of oclif.manifest.json that completion needs: the commands with their arguments and flags. */
import path from 'node:path'
import { installation } from '../../core/installation/current.ts'

/** A flag or an argument. */
export interface Word {
  readonly name: string
  readonly description?: string
  readonly options?: readonly string[]
  readonly helpValue?: string
}

export interface Flag extends Word {
  readonly type: 'option' | 'boolean'
  readonly char?: string
  readonly hidden?: boolean
  readonly multiple?: boolean
  readonly allowNo?: boolean
  readonly helpGroup?: string
}

export interface CommandEntry {
  readonly id: string
  readonly aliases: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly hidden?: boolean
  readonly strict?: boolean
  readonly args: Readonly<Record<string, Word>>
  readonly flags: Readonly<Record<string, Flag>>
}

export interface Tree {
  readonly commands: Readonly<Record<string, CommandEntry>>
  /** Description of each topic, by topic ID. */
  readonly topics: Readonly<Record<string, { readonly description: string }>>
}

/** Reads the commands; `root` is the folder of package.json. Throws when the manifest is absent. */
export function readTree(root: string, topics: Tree['topics']): Tree {
  const text = `${installation().read(path.join(root, 'oclif.manifest.json'))}`
  // our build generates this file
  const { commands } = JSON.parse(text) as Pick<Tree, 'commands'>
  return { commands, topics }
}
