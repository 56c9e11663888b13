/** A headless Chromium of the machine, driven by playwright-core; there is none on every machine. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The browser's path, or undefined where none is installed (.ci/run installs one). SVC_CHROMIUM names another. */
export function browserPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  const candidates = [
    process.env['SVC_CHROMIUM'] ?? '',
    ...NAMES.flatMap(name => folders.map(each => path.join(each, name))),
  ]
  return candidates.find(each => each !== '' && existsSync(each))
}

/** It talks to nobody but the pages it is given: what else it would look up at its start is switched off. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      // a container's root has no sandbox to offer
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
