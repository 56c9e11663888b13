/** Which test files are long or thorough, and in which order files run. */
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that kill, flip, damage, attack, or try thousands of random cases, and whose subject is also tested in another file. `npm test`
 * leaves them to `npm run test:long`.
 */
export const LONG = [
  'test/cli/code-cache.test.ts',
  'test/connectors/live/contract/hostile-responses.test.ts',
  'test/contract/proxied.test.ts',
  'test/delivery/sharing.test.ts',
  'test/e2e/cluster/*.test.ts',
  'test/e2e/console/{access,base-path,big-data,hostile}.test.ts',
  'test/e2e/damage/*.test.ts',
  'test/e2e/{hostile-sockets,locked,long-work,purge,pushes-serve,sharing}.test.ts',
  'test/e2e/live/{all-providers,canary,kills,link-browser}.test.ts',
  'test/engine/aggregate-oracle/{agrees,duckdb,transports}.test.ts',
  'test/engine/idempotency-crash.test.ts',
  'test/engine/live/kills.test.ts',
  'test/engine/recordings/recording-any-order.test.ts',
  'test/engine/users/undo-race.test.ts',
  'test/kit/postgres/{citus,server}.test.ts',
  'test/server/bodies/unread.test.ts',
  'test/server/threads/busy-threads.test.ts',
  'test/store/copy/killed.test.ts',
  'test/store/folder/migration-killed.test.ts',
  'test/store/{check-many-users,crash,flips,salvage}.test.ts',
]

/** Tests of the packages in out/. Only `npm test -- --package` runs them. */
export const PACKAGE = ['test/package/*.test.ts']

/** Files with processes or a browser. `npm run test:fast` leaves them out. */
export const THOROUGH = [
  'test/architecture/bodies.test.ts',
  'test/canary/*.test.ts',
  'test/cli/runtime/process.test.ts',
  'test/commands/*.test.ts',
  'test/contract/{both-ways,foreign-ids,once,requests}.test.ts',
  'test/e2e/**/*.test.ts',
  'test/engine/quotas.test.ts',
  'test/engine/aggregate-oracle/*.test.ts',
  'test/engine/recordings/*.test.ts',
  'test/engine/triggers/trigger-random.test.ts',
]

/** Files that need a separate process: they replace modules, intercept requests, interrupt, or measure work that happens only once. */
export const ALONE = [
  'test/cli/runtime/interrupt.test.ts',
  'test/client/http.test.ts',
  'test/core/synced-file.test.ts',
  // Node 20 parses non-ASCII texts wrongly after many calls of URL.canParse
  'test/delivery/target-spellings.test.ts',
  'test/engine/intake/remap.test.ts',
  'test/engine/live/remap.test.ts',
  'test/engine/live/token-sets.test.ts',
  'test/engine/live/links.test.ts',
  'test/engine/live/notifications/notifications.test.ts',
  'test/engine/live/pauses.test.ts',
  'test/engine/live/pull.test.ts',
  'test/engine/live/recording.test.ts',
  'test/engine/live/token-refresh.test.ts',
  'test/engine/live/revocation.test.ts',
  'test/engine/live/session.test.ts',
  'test/engine/live/oauth-apps.test.ts',
  'test/engine/live/notifications/subscriptions.test.ts',
  'test/engine/long-work.test.ts',
  'test/engine/why/pulled.test.ts',
  'test/server/pages/callback-page.test.ts',
  'test/server/live-fairness.test.ts',
  'test/server/live-work.test.ts',
  'test/server/slow-providers.test.ts',
  'test/store/logic/statement-catalogue.test.ts',
  'test/store/postgres/statements.test.ts',
]

/** Files that do not apply to a delayed store (`npm test -- --delayed`), each with its reason. */
export const NOT_DELAYED = [
  // measures how the processor's time is divided among ticks of the event loop; waiting for late responses adds ticks
  'test/engine/long-work.test.ts',
  // its processes have their own stores
  'test/engine/live/kills.test.ts',
  // takes minutes, and its subject is what connectors make of responses, not the store
  'test/connectors/live/contract/hostile-responses.test.ts',
]

/** The longest files, which start first, so that the workers end at the same time. */
const LONGEST = [
  'package/lintian',
  'connectors/live/contract/hostile-responses',
  'e2e/console/',
  'e2e/live/',
  'engine/aggregate-oracle/agrees',
  'commands/json-contract',
  'store/flips',
  'engine/live/kills',
  'store/salvage',
  'e2e/damage/',
  'contract/',
  'store/copy/',
]

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ordered = files.map(file => ({ file, place: fileOrder(file) }))
    return ordered.sort((a, b) => a.place - b.place).map(({ file }) => file)
  }
}

/** Projects run one after the other, because files of one project can use the same worker. */
function fileOrder({ project, moduleId }: TestSpecification): number {
  const name = path.relative(path.join(project.config.root, 'test'), moduleId)
  const index = LONGEST.findIndex(each => name.startsWith(each))
  return (project.name === 'fast' ? 1_000 : 0) + (index === -1 ? LONGEST.length : index)
}
