/** Reads Oura's document lists, and a single document with the context needed to read it. */
import { formatInstant, type IsoDate, parseDate } from '../../../core/time.ts'
import type { AppSession } from '../../provider-session.ts'
import { asObject, type JsonObject } from '../../shared/json-fields.ts'
import type { SummarySource } from '../../shared/summaries.ts'
import { withTexts } from '../field-table.ts'
import type { LivePage, LiveRecordBuilder } from '../page.ts'
import type { RecordForm, RecordView } from '../record-view.ts'
import { getPages, type ListForm, type QueryParameters } from '../requests.ts'
import { contentVersion } from '../windows.ts'

export const OURA: RecordForm = {
  provider: 'oura',
  ignored: new Set(['id', 'day', 'start_day', 'end_day', 'timestamp', 'ring_id', 'email']),
  countsNested: false,
}

const LIST: ListForm = { records: 'data', next: { field: 'next_token', parameter: 'next_token' } }

export function collectionPath(name: string): string {
  return `/v2/usercollection/${name}`
}

/** Yields the documents in a range, a page at a time. A document that is not an object is undefined. Throws ProviderError. */
export async function* documentPages(session: AppSession, name: string, range: QueryParameters) {
  for await (const documents of getPages(session, LIST, collectionPath(name), range)) yield documents.map(asObject)
}

/** Returns the parameters for a time range. */
export function toTimeRange(from: number, to: number): QueryParameters {
  return { start_datetime: formatInstant(from), end_datetime: formatInstant(to) }
}

/** Returns the local day under which a document is listed. For a tag, this is the day on which it starts. */
export function documentDay(fields: JsonObject | undefined): IsoDate | undefined {
  const day = withTexts(fields, 'day')?.day ?? withTexts(fields, 'start_day')?.start_day
  return day === undefined || parseDate(day) === undefined ? undefined : day
}

export interface OuraDocument {
  readonly page: LivePage
  readonly view: RecordView
  readonly id: string
  readonly day: IsoDate
  readonly sourceType: string
  readonly version: string
  /** Creates the document's record. `joined` contains further documents that the record includes. */
  record(...joined: readonly unknown[]): LiveRecordBuilder
  source(context: Pick<SummarySource, 'date' | 'offset'> & { readonly sourceType?: string }): SummarySource
}

/** Opens a document. Returns undefined for a document without an ID or day, and counts it. */
export function ouraDocument(page: LivePage, name: string, fields: JsonObject | undefined): OuraDocument | undefined {
  const [id, day] = [withTexts(fields, 'id')?.id, documentDay(fields)]
  if (fields === undefined || id === undefined || day === undefined) {
    page.skip(`${name} (unreadable)`)
    return undefined
  }
  return {
    page,
    view: page.view(name, fields),
    id,
    day,
    sourceType: 'ring',
    version: contentVersion(fields),
    record: (...joined) => page.record(id, contentVersion(fields, ...joined)),
    source: context => page.source(id, { sourceType: 'ring', ...context }),
  }
}
