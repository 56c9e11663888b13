/** The import of one archive: counts its records, knows its parts, and adds items with their source. */
import { ownedId } from '../../../core/ids.ts'
import { getOrInsert } from '../../../core/maps.ts'
import type { SampleInput, SummaryRecord } from '../../../core/sample.ts'
import type { EpochMs, IsoDate } from '../../../core/time.ts'
import type { SummaryOrigin } from '../../shared/summaries.ts'
import type { ImportContext, ImportItem } from '../importer.ts'
import type { RecordImport } from '../records/import.ts'
import type { PartRecord } from './record.ts'

/** Maximum number of devices whose IDs are kept. */
const MOST_DEVICES = 10_000

/**
 * Every item counts as one record, and so does every skipped record. A record with several values therefore counts once for each of them:
 * records = samples + summaries other than sleep_cycle + streams + skipped. Activity files count their records as their own formats do.
 */
export class ArchiveRun {
  readonly importing: RecordImport
  /** Whether the record that is being read is complete only later, when it is counted. */
  isHeld = false
  /** Where the record that is being read is. Set by the reader of each part. */
  positionOf: () => string = () => ''
  /** The name of the family that is being read. */
  family = ''
  /** Reads the elements of the part with a name to which a record refers; none if there is no such part. */
  readonly attached: (name: string) => Promise<readonly PartRecord[]>
  private readonly deviceIds = new Map<string, string>()

  constructor(importing: RecordImport, attached: ArchiveRun['attached']) {
    this.importing = importing
    this.attached = attached
  }

  get context(): ImportContext {
    return this.importing.context
  }

  /** Adds a sample, or skips it if it cannot be stored. `sourceType` is the record's own, if it has one. */
  sample(resource: string, sample: SampleInput, sourceType?: string): void {
    const { importing } = this
    const { provider } = importing
    const series = { resource, type: null, provider, sourceType: importing.chooseSourceType(sourceType) }
    const problem = importing.collector.add(series, sample)
    if (problem === undefined) importing.records++
    else this.skip(`a ${this.family} record ${problem}`)
  }

  /** Adds a summary. Those of one record count as one: call it with `isMore` for all but the first. */
  summary(summary: SummaryRecord, isMore = false): void {
    if (!isMore) this.importing.records++
    this.importing.addItem({ kind: 'summary', summary })
  }

  /** Adds an item that a format for single files made. */
  item(item: ImportItem): void {
    if (item.kind === 'end') this.importing.records += item.records
    else if (item.kind === 'skipped') this.importing.skip(item.reason, undefined, item.count)
    else this.importing.addItem(item)
  }

  /** Counts records that are not stored. Without a position, they are at the current one. */
  skip(reason: string, count = 1, position = this.positionOf()): void {
    this.importing.records += count
    this.importing.skip(reason, position === '' ? undefined : position, count)
  }

  /** Skips the current record because nothing in it can be read. */
  skipUnreadable(): void {
    this.skip(`${this.family} records without a time or value that can be read`)
  }

  notice(text: string, count = 1): void {
    this.importing.notice(text, count)
  }

  /** Says that the current record is counted later. */
  hold(): void {
    this.isHeld = true
  }

  /** Returns the problem with a session's times, as a text that follows its name. */
  timesProblem(start: EpochMs, end: EpochMs): string | undefined {
    return this.importing.timesProblem(start, end)
  }

  /** Returns what identifies a summary. `recordId` is the provider's ID, or parts that distinguish the record. */
  origin(
    recordId: SummaryOrigin['recordId'],
    date: IsoDate,
    offset: number | null,
    sourceType?: string,
  ): SummaryOrigin & { readonly userId: ImportContext['userId'] } {
    const { provider, context } = this.importing
    return {
      userId: context.userId,
      provider,
      sourceType: this.importing.chooseSourceType(sourceType),
      recordId,
      date,
      offset,
    }
  }

  /** Returns the ID of a device or an app with this name. The name itself may be a person's and is not stored. */
  deviceId(name: string): string {
    const { importing } = this
    if (this.deviceIds.size >= MOST_DEVICES) this.deviceIds.clear()
    return getOrInsert(this.deviceIds, name, () =>
      ownedId(importing.context.userId, 'device', importing.provider, name),
    )
  }
}
