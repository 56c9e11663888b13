/** The parts of the engine that the benchmark of live providers needs, as one module. */
export { runOperation } from '../../../src/engine/engine.ts'
export { openEngine } from '../../../src/engine/open.ts'
