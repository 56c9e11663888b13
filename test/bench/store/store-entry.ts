/** The parts of the engine and of both stores that the benchmark of the PostgreSQL store needs, as one module. */
export { parseStoreUrl } from '../../../src/core/store-url.ts'
export { runOperation } from '../../../src/engine/engine.ts'
export { openEngine } from '../../../src/engine/open.ts'
export { startServer } from '../../../src/server/start.ts'
export { encodeChunk } from '../../../src/store/chunk/codec.ts'
export { openDataFolder } from '../../../src/store/folder/data-folder.ts'
export { openPostgresStore } from '../../../src/store/postgres/store.ts'
