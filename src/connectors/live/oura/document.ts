/** One document of Oura, with what is needed to read it. */
import { type IsoDate, parseDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { JsonObject } from '../../files/json/fields.ts'
import type { SummarySource } from '../../shared/summaries.ts'
import { withTexts } from '../field-table.ts'
import type { LivePage, LiveRecordBuilder } from '../page.ts'
import { versionOf } from '../windows.ts'

export const OURA = 'oura'

export interface OuraDocument {
  readonly page: LivePage
  readonly asked: PullRequest
  readonly fields: JsonObject
  readonly id: string
  /** The local day that it is listed under. */
  readonly day: IsoDate
  readonly sourceType: string
  readonly version: string
  /** Makes its record. `joined`: what else the record is made of. */
  record(...joined: readonly unknown[]): LiveRecordBuilder
  source(place: Pick<SummarySource, 'date' | 'offset'> & { readonly sourceType?: string }): SummarySource
}

/** Returns a document; undefined if it has no id or no day. A tag has the day on which it starts. */
export function ouraDocument(page: LivePage, asked: PullRequest, fields: JsonObject): OuraDocument | undefined {
  const id = withTexts(fields, 'id')?.id
  const day = withTexts(fields, 'day')?.day ?? withTexts(fields, 'start_day')?.start_day
  if (id === undefined || day === undefined || parseDate(day) === undefined) return undefined
  return {
    page,
    asked,
    fields,
    id,
    day,
    sourceType: 'ring',
    version: versionOf(fields),
    record: (...joined) => page.record(id, versionOf(fields, ...joined)),
    source: place => ({ userId: asked.userId, provider: OURA, sourceType: 'ring', recordId: id, ...place }),
  }
}
