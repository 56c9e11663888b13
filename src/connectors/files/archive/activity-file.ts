/** Reads the activity files (FIT, TCX, GPX) in an archive with the importers for single files. */
import { gunzipSync } from 'node:zlib'
import type { Sport } from '../../../catalogue/sports.ts'
import { ServiceError } from '../../../core/errors.ts'
import type { SampleBatch, SummaryRecord } from '../../../core/sample.ts'
import { withoutNulls } from '../../../core/summary-document.ts'
import { gpx } from '../activity/gpx.ts'
import { tcx } from '../activity/tcx.ts'
import { isGzip } from '../bytes/gunzip.ts'
import { fit } from '../fit/fit.ts'
import type { Importer, ImportItem } from '../importer.ts'
import type { ArchivePart } from './format.ts'
import type { ArchiveRun } from './run.ts'

/** Maximum size of an activity file, packed or not. The longest activities are about 50 MiB. */
const MOST_BYTES = 64 * 1_048_576
const HEAD_BYTES = 4096

/** What an archive says about a workout or a night besides its file. */
export interface StatedBeside {
  readonly title?: string | undefined
  /** Undefined to keep the file's sport. */
  readonly sport?: Sport | undefined
  /** Fields of the summary that the file does not have. */
  readonly missing?: Readonly<Record<string, unknown>>
}

/**
 * Adds the contents of an activity file, or skips it if it is too large, damaged or in another format: one bad file does not stop the import
 * of thousands. `statedOf` returns what the archive says about a workout or a night; `isOnly` is whether the file has no other workout.
 * Returns whether the file was added.
 */
export async function addActivityFile(
  run: ArchiveRun,
  part: ArchivePart,
  statedOf: (summary: SummaryRecord, isOnly: boolean) => StatedBeside | undefined,
  sourceType: string | null = null,
): Promise<boolean> {
  const read = await contents(part)
  const importer: Importer | undefined =
    typeof read === 'string' ? undefined : [fit, tcx, gpx].find(each => each.recognizes(read.subarray(0, HEAD_BYTES)))
  if (typeof read === 'string' || importer === undefined) {
    run.skip(typeof read === 'string' ? read : 'activity files that are not FIT, TCX or GPX')
    return false
  }
  const context = {
    ...run.context,
    provider: run.importing.provider,
    sourceType: run.context.sourceType ?? sourceType,
    onProgress: () => {},
  }
  const items: ImportItem[] = []
  try {
    for await (const item of importer.read({ path: '', sizeBytes: read.length, bytes: read }, context)) items.push(item)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
    run.skip('activity files that are damaged')
    return false
  }
  const summaries = items.flatMap(item => (item.kind === 'summary' ? [item.summary] : []))
  const isOnly = summaries.filter(({ kind }) => kind === 'workouts').length === 1
  const stated = new Map<string, StatedBeside>()
  for (const summary of summaries) {
    const found = statedOf(summary, isOnly)
    if (found !== undefined) stated.set(summary.id, found)
  }
  for (const item of items) run.item(completed(item, stated))
  return true
}

/** Returns the unpacked bytes, or the reason for skipping the file. */
async function contents(part: ArchivePart): Promise<Buffer | string> {
  const tooLarge = 'activity files larger than 64 MiB'
  if (part.sizeBytes > MOST_BYTES) return tooLarge
  const pieces: Buffer[] = []
  for await (const { bytes } of part.pieces()) pieces.push(Buffer.from(bytes))
  const packed = Buffer.concat(pieces)
  if (packed.length === 0) return 'activity files that are empty'
  if (!isGzip(packed)) return packed
  try {
    return gunzipSync(packed, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge
      : 'activity files that are damaged'
  }
}

/** Returns an item with what the archive states beside its file. */
function completed(item: ImportItem, stated: ReadonlyMap<string, StatedBeside>): ImportItem {
  if (item.kind === 'summary') {
    const found = stated.get(item.summary.id)
    if (found === undefined) return item
    const { sport, title = sport?.name, missing } = found
    const changed = {
      // a document has no nulls, so only fields that it lacks are added
      ...withoutNulls({ ...missing, ...item.summary.document }),
      ...(sport && { sport: { ...sport } }),
      ...(title && { title }),
    }
    return { kind: 'summary', summary: { ...item.summary, document: changed } }
  }
  if (item.kind === 'stream') {
    const sport = stated.get(item.stream.workoutId)?.sport
    return sport === undefined ? item : { kind: 'stream', stream: { ...item.stream, sport } }
  }
  return item.kind === 'samples' ? { kind: 'samples', batch: withSport(item.batch, stated) } : item
}

/** Renames the sport of samples whose file has a single workout, which is the case for all but multisport files. */
function withSport(batch: SampleBatch, stated: ReadonlyMap<string, StatedBeside>): SampleBatch {
  const [only, more] = batch.text.get('workout_id')?.values ?? []
  const sport = only === undefined || more !== undefined ? undefined : stated.get(only)?.sport
  const column = batch.text.get('sport')
  if (sport === undefined || column === undefined) return batch
  return {
    ...batch,
    text: new Map([...batch.text, ['sport', { ...column, values: column.values.map(() => sport.slug) }]]),
  }
}
