/**
 * Gathers pages until there are enough for a transaction: providers send a few hundred samples at a time, but the store packs thousands.
 */
import type { PulledPage } from '../../../connectors/connector.ts'
import type { SampleBatch } from '../../../core/sample.ts'
import { joinColumns } from '../../../store/chunk/columns.ts'

/** Maximum number of samples and records that are stored together. A larger page is stored by itself. */
const MOST_SAMPLES = 20_000
const MOST_RECORDS = 500

/** Number of samples that all pulls of the process can keep in memory. Above this number, each pull stores its pages one by one. */
const MOST_OF_ALL = 16 * MOST_SAMPLES
/** Number of samples that a record counts as. */
const SAMPLES_A_RECORD = MOST_SAMPLES / MOST_RECORDS

let heldByAll = 0

type Gathered = Pick<PulledPage, 'records' | 'batches'>

export class GatheredPages {
  private records: PulledPage['records'][number][] = []
  private series = new Map<string, SampleBatch[]>()
  private samples = 0
  private held = 0

  get isFull(): boolean {
    return this.samples >= MOST_SAMPLES || this.records.length >= MOST_RECORDS
  }

  /** Whether all pulls together have reached the limit. If so, each pull stores its page before it requests the next one. */
  static get isCrowded(): boolean {
    return heldByAll >= MOST_OF_ALL
  }

  add({ records, batches }: PulledPage): void {
    this.records.push(...records)
    for (const batch of batches) {
      const { resource, type, provider, sourceType } = batch.series
      const name = JSON.stringify([resource, type, provider, sourceType])
      const known = this.series.get(name)
      if (known) known.push(batch)
      else this.series.set(name, [batch])
      this.samples += batch.n
    }
    for (const record of records) this.samples += record.batches.reduce((sum, { n }) => sum + n, 0)
    this.hold(this.samples + this.records.length * SAMPLES_A_RECORD)
  }

  /** Stops counting the pages that were taken, because they have been stored or dropped. */
  release(): void {
    this.hold(0)
  }

  private hold(held: number): void {
    heldByAll += held - this.held
    this.held = held
  }

  /** Returns the gathered data with one batch per series. A later row replaces an earlier row with the same time. */
  take(): Gathered {
    const batches = [...this.series.values()].flatMap(parts => {
      const [first] = parts
      if (first === undefined || parts.length === 1) return parts
      return [{ ...joinColumns(parts), series: first.series }]
    })
    const taken = { records: this.records, batches }
    this.records = []
    this.series = new Map()
    this.samples = 0
    return taken
  }
}
