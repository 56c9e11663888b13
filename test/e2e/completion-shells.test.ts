/** Tab in real shells: the line in bash, zsh and fish after loading the script of `svc completion`. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEndOfFile } from '../kit/end-of-file.ts'
import { Sandbox, svcInShell } from '../kit/sandbox.ts'
import { until } from '../kit/until.ts'

/** How to start each shell without this machine's settings, and how it loads the script. */
const SHELLS = {
  bash: { args: ['--norc', '--noprofile', '-i'], load: 'source <(svc completion bash)' },
  zsh: { args: ['-f', '-i'], load: 'source <(svc completion zsh)' },
  fish: { args: ['--no-config', '-i'], load: 'svc completion fish | source' },
} as const
type ShellName = keyof typeof SHELLS

const NAMES = ['ada lovelace', "o'brien", 'team:a$b', 'plain-1', 'plain-2']
const sandbox = new Sandbox()
const bin = path.join(sandbox.folder, 'bin')

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'exit'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * The program that the shell runs in place of svc when a line is entered: it writes its arguments to a file. Completion uses the real svc.
 */
function writeProgram(): void {
  mkdirSync(bin)
  const file = path.join(bin, 'svc')
  const real = `exec ${svcInShell} "$@"`
  writeFileSync(
    file,
    `#!/bin/sh\ncase $1 in complet*) ${real};; esac\nprintf '%s\\n' "$@" > "${sandbox.folder}/args.tmp"\nmv "${sandbox.folder}/args.tmp" "${sandbox.folder}/args"\n`,
  )
  chmodSync(file, 0o755)
}

/** A shell in which a person types a line that ends with Tab. */
class Shell {
  private screen = ''
  private lines = 0
  private readonly name: ShellName
  private readonly pty: ReturnType<typeof spawnTerminal>

  constructor(name: ShellName) {
    this.name = name
    this.pty = spawnTerminal(name, [...SHELLS[name].args], {
      name: 'xterm-256color',
      cols: 160,
      rows: 40,
      cwd: sandbox.folder,
      env: { ...sandbox.env, PATH: `${bin}:${process.env['PATH']}`, HOME: sandbox.folder, PS1: '$ ', SVC_TEST: 'yes' },
    })
    this.pty.onData(text => {
      this.screen += text
      // a terminal responds to a query for its type
      if (text.includes('\x1b[c') || text.includes('\x1b[0c')) this.pty.write('\x1b[?62c')
    })
    atEndOfFile(() => this.pty.kill('SIGKILL'))
  }

  /** Loads the script, and waits until the shell has done so. */
  async load(): Promise<void> {
    await this.enters(`${SHELLS[this.name].load}`)
  }

  /** Types a line that ends with Tab, enters the completed line, and returns the arguments that svc received. */
  async completes(line: string): Promise<string[]> {
    const before = this.lines
    const args = path.join(sandbox.folder, 'args')
    writeFileSync(args, '')
    this.screen = ''
    this.pty.write(`${line}\t`)
    // the shell shows no sign when it has finished, so the end of the line is typed afterwards: keys are read in order
    this.pty.write(' end\r')
    await until(() => readFileSync(args, 'utf8').endsWith('end\n'), {
      why: () => `${this.name} does not run the line ${JSON.stringify(line)} (${before}):\n${this.screen}`,
    })
    return readFileSync(args, 'utf8').split('\n').slice(0, -2)
  }

  private async enters(line: string): Promise<void> {
    const marker = `loaded-${++this.lines}`
    // in two parts, so that the echo of the line does not look like its output
    this.pty.write(`${line}; echo load''ed-${this.lines}\r`)
    await until(() => this.screen.includes(marker), { why: () => `${this.name} does not start:\n${this.screen}` })
  }
}

beforeAll(async () => {
  writeProgram()
  for (const name of NAMES) await sandbox.json(['user', 'create', name])
  await sandbox.json(['engine', 'snapshot', 'save', 'before-test'])
  await sandbox.json(['profile', 'add', 'staging', '--base-url', 'http://127.0.0.1:9'])
})

for (const name of Object.keys(SHELLS) as ShellName[]) {
  const reason = isInstalled(name) ? '' : ` (skipped: ${name} is not installed)`
  describe.skipIf(reason !== '')(`Tab in ${name}${reason}`, () => {
    let shell: Shell
    beforeAll(async () => {
      shell = new Shell(name)
      await shell.load()
    })

    it.each([
      ['a command', 'svc us', ['user']],
      ['a command of a topic', 'svc engine snapshot res', ['engine', 'snapshot', 'restore']],
      ['a flag', 'svc user get ada --no-inp', ['user', 'get', 'ada', '--no-input']],
      ['an option of a flag', 'svc user get ada --output nd', ['user', 'get', 'ada', '--output', 'ndjson']],
      ['an option after an equals sign', 'svc user get ada --output=nd', ['user', 'get', 'ada', '--output=ndjson']],
      ['a resource', 'svc timeseries get ada heartr', ['timeseries', 'get', 'ada', 'heartrate']],
      ['a provider', 'svc link password zw', ['link', 'password', 'zwift']],
      ['a snapshot', 'svc engine snapshot restore be', ['engine', 'snapshot', 'restore', 'before-test']],
      ['a profile', 'svc profile use st', ['profile', 'use', 'staging']],
      ['an event type', 'svc event types provider.connection.e', ['event', 'types', 'provider.connection.error']],
      ['the common start of several users', 'svc user get pl', ['user', 'get', 'plain-']],
      ['a user with a space', 'svc user get ad', ['user', 'get', 'ada lovelace']],
      ['a user with an apostrophe', 'svc user get o', ['user', 'get', "o'brien"]],
      ['a user with a colon and a dollar', 'svc user get te', ['user', 'get', 'team:a$b']],
      ['a user within double quotes', 'svc user get "ada l', ['user', 'get', 'ada lovelace']],
      ['a user within single quotes', "svc user get 'ada l", ['user', 'get', 'ada lovelace']],
      ['a user after a backslash', 'svc user get ada\\ l', ['user', 'get', 'ada lovelace']],
      ['a user after an equals sign', 'svc event list --user=ad', ['event', 'list', '--user=ada lovelace']],
      ['a file', 'svc import args.f', ['import', 'args.file']],
      ['nothing for a name that nobody has', 'svc user get xyz', ['user', 'get', 'xyz']],
    ])('completes %s', async (_what, line, expected) => {
      writeFileSync(path.join(sandbox.folder, 'args.file'), '')
      const found = await shell.completes(line)
      // a shell may or may not add a space; only the text before the end of the line counts
      expect(found.join('\n').trim()).toBe(expected.join('\n'))
    })
  })
}
