/**
 * Runs commands of the built bundle inside this process: the bundle is evaluated anew for each one, so that no state of a command is left
 * for the next, but it is compiled only once. That takes a fifth of the time of a process. For tests of a command's output and effects.
 * Tests of how processes start, end, wait for each other and are killed use real processes.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import vm from 'node:vm'
import { OwnProcess } from './own-process.ts'
import { executable, type Run, type RunOptions, root, Sandbox } from './sandbox.ts'

const FILE = path.join(root, 'dist', 'svc.cjs')
const PARAMETERS = 'exports, require, module, __filename, __dirname, process, console'

type Bundle = (...given: readonly unknown[]) => void
let compiled: Bundle | undefined

/** Returns the bundle as a function of the variables that Node gives a module. */
function bundle(): Bundle {
  // the build keeps the file within ASCII
  const source = () => `(function (${PARAMETERS}) {${readFileSync(FILE, 'latin1')}\n})`
  compiled ??= new vm.Script(source(), { filename: FILE }).runInThisContext() as Bundle // the type of the wrapped source
  return compiled
}

/** A sandbox whose commands run one after the other in this process, unless their options need a real process. */
export class InProcessSandbox extends Sandbox {
  private last: Promise<unknown> = Promise.resolve()

  override run(args: readonly string[], options: RunOptions = {}): Promise<Run> {
    const isReal = options.wrapper || options.isBoundByPermissions || options.env?.['NODE_OPTIONS']
    if (executable !== undefined || isReal) return super.run(args, options)
    const run = this.last.then(async () => {
      process.chdir(this.folder)
      try {
        return await runHere(args, new OwnProcess(args, { ...this.env, ...options.env }, options.input ?? ''))
      } finally {
        process.chdir(root)
      }
    })
    this.last = run.catch(() => {})
    return run
  }
}

async function runHere(args: readonly string[], own: OwnProcess): Promise<Run> {
  const load = createRequire(FILE)
  const module = { exports: { main: async (_args: readonly string[], _root: string): Promise<void> => {} } }
  // the command line's framework finds the commands by requiring the file again
  const find = (id: string) => (id === FILE ? module.exports : own.modules[id.replace(/^node:/, '')])
  const require = Object.assign((id: string) => find(id) ?? load(id), load)
  // the framework keeps the text that it read from stdin
  Reflect.deleteProperty(globalThis, 'oclif')
  bundle()(module.exports, require, module, FILE, path.dirname(FILE), own.process, own.console)
  await Promise.race([module.exports.main(args, root), own.exited])
  const { status, stdout, stderr } = own
  return { status, stdout, stderr }
}
