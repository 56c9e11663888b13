/** The installation that this process runs from. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Installation } from './installation.ts'

/** What npm installs. */
const ON_DISK: Installation = {
  read: file => readFileSync(file),
  list: folder => readdirSync(folder, { recursive: true, encoding: 'utf8' }),
  modifiedAt: file => statSync(file, { throwIfNoEntry: false })?.mtimeMs,
  bundleExpression: file => `require(${JSON.stringify(file)})`,
  ownCommand: (root, args) => ({
    command: process.execPath,
    args: [path.join(root, 'bin', 'run.js'), ...args],
    env: {},
  }),
  programCommand: ({ code, flags, args }) => ({
    command: process.execPath,
    args: [...flags, '-e', code, ...args],
    env: {},
  }),
}

// global, because a process has one installation
let current = ON_DISK

/** Returns the current installation. */
export function installation(): Installation {
  return current
}

/** Replaces the installation for the rest of the process. The single executable does so before it runs a command. */
export function useInstallation(other: Installation): void {
  current = other
}
