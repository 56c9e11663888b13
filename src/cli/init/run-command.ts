/** Runs an svc command in a separate process, as the user would. */
import { spawn } from 'node:child_process'
import { installation } from '../../core/installation/current.ts'

/** Returns the exit code. `root` is the folder of package.json. With `isShown`, the command prints to this terminal. */
export function runCommand(root: string, args: readonly string[], isShown: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const own = installation().ownCommand(root, args)
    const child = spawn(own.command, own.args, {
      env: { ...process.env, ...own.env },
      stdio: ['ignore', isShown ? 'inherit' : 'ignore', 'inherit'],
    })
    child.on('error', reject)
    // without a status, a signal ended it, such as Ctrl-C, which reaches all processes of the terminal
    child.on('close', status => resolve(status ?? 130))
  })
}
