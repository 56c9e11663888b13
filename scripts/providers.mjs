/**
 * `npm run providers`: small servers that stand in for the live providers, to try live providers out without an account. They follow the
 * documentation of the providers as far as docs/live-providers.md says.
 */
import { spawn } from 'node:child_process'
import { bundled } from '../test/bench/bundle.mjs'

const { path } = await bundled('../providers/program.ts', { isProgram: true })
const child = spawn(process.execPath, [path, ...process.argv.slice(2)], { stdio: 'inherit' })
// the child gets Ctrl-C itself
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.once('exit', code => process.exit(code ?? 1))
