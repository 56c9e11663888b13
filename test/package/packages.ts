/** The finished packages in out/, which `npm run package` makes. */
import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { root } from '../kit/sandbox.ts'

export const MB = 1e6
export const out = path.join(root, 'out')
const execute = promisify(execFile)

/** Returns the path of a package by the end of its name. */
export function packageFile(end: string): string {
  const name = readdirSync(out).find(each => each.endsWith(end))
  if (name === undefined) throw new Error(`out/ contains no file *${end}. Run npm run package first.`)
  return path.join(out, name)
}

/** Returns the commands in docs/install.md, one text for each block. */
export function guideCommands(): string[] {
  const guide = readFileSync(path.join(root, 'docs', 'install.md'), 'utf8')
  return [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(match => match[1] ?? '')
}

/** npm may have to ask a slow registry. */
export const INSTALL_TIMEOUT_MS = 400_000

/** Returns variables with which npm installs into a folder, as a user with no settings does, with the files that `npm ci` has fetched. */
export function npmVariables(home: string): Record<string, string> {
  return {
    HOME: home,
    npm_config_prefix: path.join(home, 'prefix'),
    npm_config_cache: execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim(),
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
  }
}

/** Runs a command that must succeed, with no other variables than these, and returns its stdout. */
export async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = out,
): Promise<string> {
  return (await execute(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 26 })).stdout
}

/** Runs a script of a shell in the same way. */
export function shell(script: string, env: Readonly<Record<string, string>>, cwd?: string): Promise<string> {
  return run('/bin/sh', ['-ec', script], env, cwd)
}
