/** The parts of the engine and the server that the webhook benchmark needs, as one module. */
export { systemRandom } from '../../../src/core/random.ts'
export { runOperation } from '../../../src/engine/engine.ts'
export { openEngine } from '../../../src/engine/open.ts'
export { startServer } from '../../../src/server/start.ts'
