/** Runs `svc serve` with a small heap for the attacks: reports its longest event-loop delay, its peak memory, and whether it is alive. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../bundle.mjs'
import { environment } from '../samples/samples-serve.mjs'

const START_MS = 60_000
const RESPONSE_MS = 60_000
const STOP_MS = 45_000
const HEAP_MB = 512
const MORE_MS = 100

/** Starts the built server. Throws if it does not start. */
export async function serve(folder) {
  const preload = pathToFileURL(join(root, 'test', 'bench', 'hostile', 'loop-delay.mjs')).href
  const own = [`--max-old-space-size=${HEAP_MB}`, '--import', preload, join(root, 'bin', 'run.js')]
  const child = spawn(process.execPath, [...own, 'serve', '--port', '0', '--json', '--quiet', '--rate-limit', '0'], {
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  // keeps the last output of a server that crashed
  child.stderr.on('data', data => {
    said = (said + data).slice(-4_000)
  })
  const line = await within(START_MS, Promise.race([once(child.stdout, 'data'), once(child, 'exit')]), 'to start')
  if (typeof line[0] === 'number' || line[0] === null) throw new Error(`the server ended with ${line[0]}: ${said}`)
  child.stdout.resume()
  const { url, api_key: apiKey } = JSON.parse(line[0])
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, peakMb(child.pid))
  }, MORE_MS)
  return {
    url,
    apiKey,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    lastWords: () => said,
    /** Returns the longest delay since the last call, in milliseconds; undefined when the server is gone or does not respond. */
    async longestDelay() {
      if (!child.connected) return undefined
      const response = once(child, 'message')
      child.send('loop-delay')
      const said = await within(
        RESPONSE_MS,
        Promise.race([response, once(child, 'exit').then(() => [{}])]),
        'to answer',
      ).catch(() => [{}])
      return said[0].longestMs
    },
    /** Returns the highest resident memory so far, in MB. */
    peakMemory: () => Math.max(peak, peakMb(child.pid)),
    async end() {
      clearInterval(look)
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      const cut = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await exit
      clearTimeout(cut)
    },
  }
}

/** Returns the peak memory that the kernel reports, in MB; 0 if it reports none or the process is gone. */
function peakMb(pid) {
  try {
    const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmHWM:\s+(\d+) kB$/m)
    return line ? Number(line[1]) / 1024 : 0
  } catch {
    return 0
  }
}

async function within(ms, promise, what) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the server took more than ${ms / 1000} s ${what}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
