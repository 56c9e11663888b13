/**
 * `npm run providers`: fake providers on this machine, to try out live providers without an account. They follow the providers'
 * documentation to the extent described in docs/live-providers.md.
 */
import { spawn } from 'node:child_process'
import { bundled } from '../test/bench/bundle.mjs'

const { path } = await bundled('../providers/program.ts', { isProgram: true })
const child = spawn(process.execPath, [path, ...process.argv.slice(2)], { stdio: 'inherit' })
// the child gets Ctrl-C itself
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.once('exit', code => process.exit(code ?? 1))
