/**
 * Live providers' collections as data. Each one has its scopes, its request with the provider's pagination, and its mapping. This module
 * does the work that all collections share: it creates one page for each response, handles removed records, and counts values that the
 * mapping did not read.
 */
import { DAY_MS } from '../../core/time.ts'
import type { Collection, Connector, PulledPage, PullRequest } from '../connector.ts'
import type { TokenSession } from '../provider-session.ts'
import { LivePage } from './page.ts'
import type { RecordForm } from './record-view.ts'

/** A collection's plan: how it is requested and mapped. */
export interface CollectionPlan<Item> {
  /** Requests the window and yields each response's content. Throws ProviderError. */
  readonly pages: (session: TokenSession, asked: PullRequest) => AsyncIterable<readonly Item[]>
  /**
   * Requests one record. Returns null if the provider does not have the record. Absent if `pages` handles `recordId` or if records have no
   * ID.
   */
  readonly one?: (session: TokenSession, recordId: string, asked: PullRequest) => Promise<Item | null>
  /** Maps an item and adds the result to the page. `page.view` opens a record. */
  readonly map: (item: Item, page: LivePage, session: TokenSession) => void | Promise<void>
}

export interface LiveCollection extends Collection {
  readonly pull: Connector['pull']
}

/** Returns a collection that is pulled according to its plan. */
export function collection<Item>(
  form: RecordForm,
  named: Collection,
  { pages, one, map }: CollectionPlan<Item>,
): LiveCollection {
  async function* pull(session: TokenSession, asked: PullRequest): AsyncGenerator<PulledPage> {
    const { recordId } = asked
    const items = one && recordId !== undefined ? alone(one(session, recordId, asked)) : pages(session, asked)
    for await (const found of items) {
      const page = new LivePage(form, asked)
      for (const item of found) {
        // most mappings do not send requests, and do not need a separate tick
        const mapping = map(item, page, session)
        if (mapping) await mapping
        page.countUnread()
      }
      // if `pages` handles the ID, its pages may contain other records
      const isThere = one ? found.length > 0 : recordId !== undefined && page.brings(recordId)
      if (recordId !== undefined && !isThere) page.gone(recordId)
      yield page.take()
    }
  }
  return { ...named, pull }
}

/** Yields a page with only this record, or an empty page for null. */
export async function* alone<Item>(found: Promise<Item | null>): AsyncGenerator<readonly Item[]> {
  const item = await found
  yield item === null ? [] : [item]
}

/** Schedule for collections for which a provider has only the newest value, regardless of the window. */
export const NEWEST = { windowDays: 1, historyDays: 1, pollMs: DAY_MS, overlapDays: 0 } as const
