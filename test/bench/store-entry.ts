/** The parts of the engine and its store that the benchmarks need, as one module. */
export { SampleBatchBuilder } from '../../src/core/sample.ts'
export { runOperation } from '../../src/engine/engine.ts'
export { openEngine } from '../../src/engine/open.ts'
export { decodeChunk, encodeChunk } from '../../src/store/chunk/codec.ts'
export { openDataFolder } from '../../src/store/folder/data-folder.ts'
export { openSqliteStore } from '../../src/store/sqlite/store.ts'
