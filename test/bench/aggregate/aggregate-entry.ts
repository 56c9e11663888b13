/** The parts of the engine that the aggregate benchmark needs, as one module. */
export { queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
export { runQueryBatch } from '../../../src/engine/aggregate/run.ts'
export { openDataFolder } from '../../../src/store/folder/data-folder.ts'
export { openSqliteStore } from '../../../src/store/sqlite/store.ts'
