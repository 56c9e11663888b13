/** Drives the headless Chromium of this machine with playwright-core. Not every machine has a Chromium. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Returns the browser's path, or undefined if none is installed (.ci/run installs one). SVC_CHROMIUM names another. */
export function browserPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  const candidates = [
    process.env['SVC_CHROMIUM'] ?? '',
    ...NAMES.flatMap(name => folders.map(each => path.join(each, name))),
  ]
  return candidates.find(each => each !== '' && existsSync(each))
}

/** Starts the browser. It connects only to the pages it is given: everything else it would load at start is switched off. */
export function openBrowser(executablePath: string, args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      // root in a container has no sandbox
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  })
}
