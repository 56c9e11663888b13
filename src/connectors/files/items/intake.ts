/** Imports lines of items (see lines.ts): each line is one record, stored or skipped with a reason. */
import { isUtf8 } from 'node:buffer'
import type { ImportContext, ImportItem } from '../importer.ts'
import { asObject, type JsonObject } from '../json/fields.ts'
import { SampleCollector } from '../sample-collector.ts'
import { SkipCounts } from '../skip-counts.ts'
import type { Item, ItemReading, SampleItem } from './item.ts'
import { parseItem } from './parser.ts'
import { itemTimeProblem } from './times.ts'

export type LineObject = JsonObject

export class ItemIntake {
  records = 0
  private readonly context: ImportContext
  private readonly skips = new SkipCounts()
  private readonly samples: SampleCollector
  /** Returns what else is wrong with an item, to follow its name. */
  private readonly problemOf: (item: Item) => string | undefined

  constructor(context: ImportContext, problemOf: (item: Item) => string | undefined = () => undefined) {
    this.context = context
    this.samples = new SampleCollector({ skips: this.skips, now: context.now })
    this.problemOf = problemOf
  }

  /** Takes one line; `value` is the result of `parseLine`, undefined for a damaged line. */
  *add(value: LineObject | undefined, reading: ItemReading, place: string): Generator<ImportItem> {
    this.records++
    if (value === undefined) {
      this.skips.add('a line is not a JSON object', 1, place)
      return
    }
    const item = parseItem(value, reading)
    if (item.kind === 'wrong') {
      const [issue] = item.issues
      const what = [issue?.path[0], issue?.msg].join(' ').trim()
      this.skips.add(`${nameOf(value)} is not valid: ${what}`, 1, place)
      return
    }
    const problem = this.problemOf(item) ?? (item.kind === 'sample' ? undefined : this.problemOfDocument(item))
    if (problem !== undefined) this.skips.add(`${nameOf(value)} ${problem}`, 1, place)
    else if (item.kind !== 'sample') yield item
    else {
      this.samples.add(item.series, item.sample, 'a sample', place)
      yield* this.samples.take()
    }
  }

  private problemOfDocument(item: Exclude<Item, SampleItem>): string | undefined {
    const { now, documentProblem } = this.context
    return itemTimeProblem(item, now)?.problem ?? (item.kind === 'summary' ? documentProblem(item.summary) : undefined)
  }

  /** Yields what is held back and what was skipped. The caller yields the end of the import. */
  *rest(): Generator<ImportItem> {
    yield* this.samples.finish()
    yield* this.skips.items()
  }
}

/** Returns the object in a line, which may start with a byte order mark; null for an empty line, undefined when it is not an object. */
export function parseLine(bytes: Buffer): LineObject | null | undefined {
  const text = bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb ? 3 : 0)
  try {
    return asObject(isUtf8(bytes) ? JSON.parse(text) : undefined)
  } catch {
    return text.trim() === '' ? null : undefined
  }
}

function nameOf(value: LineObject): string {
  if ('summary' in value) return 'a summary'
  return 'stream' in value ? 'a stream' : 'a sample'
}
