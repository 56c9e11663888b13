/** Opens the user's browser. */
import { spawn } from 'node:child_process'

/** Time limit for a browser launcher to report a failure. */
const OPENING_MS = 3_000

/** Opens a file or a URL in the user's browser, and returns whether a browser was found. */
export function openInBrowser(
  target: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const opener = findOpener(target, env, platform)
  if (opener === undefined) return Promise.resolve(false)
  const [command, ...args] = opener
  return new Promise(resolve => {
    const child = spawn(command, args, { detached: true, stdio: 'ignore' })
    // a browser that was started directly keeps running, so do not wait for it
    const timer = setTimeout(() => resolve(true), OPENING_MS)
    const settle = (isOpen: boolean): void => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', () => settle(false))
    child.once('exit', code => settle(code === 0))
    child.unref()
  })
}

function findOpener(
  target: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): readonly [string, ...string[]] | undefined {
  if (env['BROWSER']) return [env['BROWSER'], target]
  if (platform === 'darwin') return ['open', target]
  // cmd.exe would end the command at an ampersand
  if (platform === 'win32') return ['cmd', '/c', 'start', '', target.replaceAll('&', '^&')]
  // without a display, xdg-open would start a browser on the terminal
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open', target] : undefined
}
