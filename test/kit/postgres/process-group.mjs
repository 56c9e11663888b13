/**
 * Processes that belong together, with one temporary folder. They end together, the last one first, and the folder is removed. If this
 * process is killed, a shell that waits for the end of a pipe does this instead.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time for a process to stop gracefully. `svc serve` gives running requests 30 s. */
const LONGEST_STOP_MS = 40_000

/** Reads lines such as `add PID`. When the pipe ends without `done`, it ends these processes and removes the folder. */
const WATCH = `
trap '' HUP INT TERM
pids=' '
while read -r word pid; do
  case $word in
    add) pids=" $pid$pids" ;;
    gone) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
    done) exit ;;
  esac
done
for pid in $pids; do
  kill -INT "$pid" 2>/dev/null || continue
  tries=0
  while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL "$pid" 2>/dev/null
done
rm -rf -- "$0"
`

/** Returns a folder for temporary files in memory, if there is one with enough room for a test run. TMPDIR overrides it. */
export function memoryFolder() {
  if (process.platform !== 'linux' || process.env.TMPDIR) return undefined
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 4 * 2 ** 30 ? '/dev/shm' : undefined
  } catch {
    return undefined
  }
}

export class ProcessGroup {
  folder
  #owner
  #watch
  #members = []
  #ending

  /** The name becomes part of the folder name. The owner (a uid and a gid) owns the folder and runs the programs; absent: this user. */
  constructor(name, owner, parent = tmpdir()) {
    this.#owner = owner
    this.folder = mkdtempSync(path.join(parent, `svc-${name}-`))
    if (owner) chownSync(this.folder, owner.uid, owner.gid)
    // in a separate session, because Ctrl-C reaches every foreground process of a terminal
    this.#watch = spawn('/bin/sh', ['-c', WATCH, this.folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    this.#watch.stdin.on('error', () => {})
    this.#watch.stdin.unref()
    this.#watch.unref()
  }

  /** Runs a program to its end, and returns its stdout. Throws with its stderr if it fails. */
  async run(command, args, env = {}) {
    const child = spawn(command, args, this.#how(env, ['ignore', 'pipe', 'pipe']))
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', text => {
        texts[name] += text
      })
    }
    const [status] = await once(child, 'close')
    if (status !== 0) throw new Error(`${path.basename(command)} ended with ${status}: ${texts.stderr.trim()}`)
    return texts.stdout
  }

  /** Starts a program whose output goes to a file of the folder. Programs of the same name share the file. */
  start(name, command, args, env = {}) {
    if (this.#ending) throw new Error(`${name} is not started any more`)
    const log = path.join(this.folder, `${name}.log`)
    const out = openSync(log, 'a', 0o600)
    const child = spawn(command, args, { ...this.#how(env, ['ignore', out, out]), detached: true })
    closeSync(out)
    const member = new Member(name, child, log)
    this.#members.push(member)
    this.#watch.stdin.write(`add ${child.pid}\n`)
    member.ended.then(() => this.#watch.stdin.write(`gone ${child.pid}\n`))
    return member
  }

  /** Stops all programs gracefully, and removes the folder. */
  stop() {
    this.#ending ??= this.#stop()
    return this.#ending
  }

  /** Kills all programs at once, even while `stop` waits for them, and removes the folder. */
  kill() {
    for (const member of this.#members) member.signal('SIGKILL')
    return this.stop()
  }

  async #stop() {
    for (const member of this.#members.toReversed()) await member.stop()
    // the processes of a server that was killed end a moment after it
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
    this.#watch.stdin.end('done\n')
  }

  #how(env, stdio) {
    // PGHOST and others would change the server that the PostgreSQL programs connect to
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))
    return { ...this.#owner, cwd: this.folder, env: { ...Object.fromEntries(inherited), ...env }, stdio }
  }
}

/** A program that was started. */
class Member {
  name
  pid
  /** Resolves when it has ended, or could not be started. */
  ended
  isRunning = true
  #child
  #log

  constructor(name, child, log) {
    this.name = name
    this.pid = child.pid
    this.#child = child
    this.#log = log
    this.ended = new Promise(resolve => {
      child.once('exit', resolve).once('error', resolve)
    }).then(() => {
      this.isRunning = false
    })
  }

  /** Returns its output so far. */
  log() {
    return readFileSync(this.#log, 'utf8')
  }

  signal(name) {
    this.#child.kill(name)
  }

  /** Sends it a request to stop, and kills it if that takes too long. */
  async stop(signal = 'SIGINT') {
    if (!this.isRunning) return
    this.signal(signal)
    await Promise.race([this.ended, sleep(LONGEST_STOP_MS, undefined, { ref: false })])
    if (this.isRunning) this.signal('SIGKILL')
    await this.ended
  }

  /** Waits until `isReady` returns something truthy, and returns that. Throws if the program ends first, or after a time limit. */
  async ready(isReady, mostMs = 60_000) {
    const deadline = performance.now() + mostMs
    for (;;) {
      const value = await isReady()
      if (value) return value
      if (!this.isRunning) throw new Error(`${this.name} ended before it was ready:\n${this.log().trim()}`)
      if (performance.now() > deadline) throw new Error(`${this.name} was not ready in time:\n${this.log().trim()}`)
      await sleep(50)
    }
  }
}
