/** Runs an svc command in a separate process, as the user would. */
import { spawn } from 'node:child_process'
import path from 'node:path'

/** Returns the exit code. `root` is the folder of package.json. With `isShown`, the command prints to this terminal. */
export function runCommand(root: string, args: readonly string[], isShown: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, 'bin', 'run.js'), ...args], {
      env: process.env,
      stdio: ['ignore', isShown ? 'inherit' : 'ignore', 'inherit'],
    })
    child.on('error', reject)
    // without a status, a signal ended it, such as Ctrl-C, which reaches all processes of the terminal
    child.on('close', status => resolve(status ?? 130))
  })
}
