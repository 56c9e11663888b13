/** A built worktree of the base, beside the checkout. */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const REMOVAL_TRIES = 10

/**
 * Returns `{ folder, build, discard }`. `build` creates the worktree of the commit, unless it exists, and builds it with `run(folder,
 * program, …args)`. `discard` removes it if `build` created it: after an interruption it may be incomplete.
 */
export function worktreeOf(root, commit, run) {
  const folder = join(dirname(root), `${basename(root)}-${commit.slice(0, 8)}`)
  let isMadeHere = false
  return {
    folder,
    async build() {
      if (!existsSync(folder)) {
        isMadeHere = true
        await run(root, 'git', 'worktree', 'add', '--force', '--detach', folder, commit)
      }
      if (!existsSync(join(folder, 'node_modules', '.package-lock.json'))) {
        await run(folder, 'npm', 'ci', '--no-audit', '--no-fund')
      }
      await run(folder, 'npm', 'run', 'build')
    },
    discard() {
      if (!isMadeHere) return
      // the stopped process may still be writing
      rmSync(folder, { recursive: true, force: true, maxRetries: REMOVAL_TRIES })
      execFileSync('git', ['worktree', 'prune'], { cwd: root })
    },
  }
}
