/**
 * A page of samples as the bytes that are sent, made of the columns themselves: the very bytes that `JSON.stringify` would make of
 * the groups (sample-groups.ts), at a fraction of its price. Pages are the largest answers there are, and the most frequent.
 */
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import type { SeriesSlice } from '../../store/port.ts'
import { JsonBytes } from './json-bytes.ts'
import { RowWriter } from './row-writer.ts'
import { contextChanges, sourceOf } from './sample-groups.ts'

/** One group: its head and its rows. */
type Group = JsonBytes

/** About what a row and the head of a group take. */
const ROW_BYTES = 168
const HEAD_BYTES = 512

/**
 * The whole answer, each byte as a character (Node's `latin1`), or null for a page whose order only the groups themselves tell;
 * `next` is the cursor of the next page.
 */
export function pageBytes(
  resource: TimeseriesResource,
  slices: readonly SeriesSlice[],
  next: string | null,
): string | null {
  const providers = groupsByProvider(resource, slices)
  if (providers === null) return null
  const cursor = JSON.stringify(next)
  const end = `},"next_cursor":${cursor},"next":${cursor}}`
  let whole: JsonBytes | undefined
  for (const [slug, groups] of providers) {
    groups.forEach((group, i) => {
      // the comma after its last row
      group.at--
      // what stands before the first group of all is in its own bytes
      if (whole === undefined) whole = group
      else {
        whole.text(i === 0 ? `,${JSON.stringify(slug)}:[` : ',')
        whole.putTaken(group.taken())
      }
      whole.text(i === groups.length - 1 ? ']}]' : ']}')
    })
  }
  whole ??= new JsonBytes(HEAD_BYTES)
  if (providers.size === 0) whole.text('{"groups":{')
  whole.text(end)
  return whole.taken()
}

/** Names whose order in an object is the order of their coming. */
const ORDERED_NAME = /^[a-z]/

function groupsByProvider(
  resource: TimeseriesResource,
  slices: readonly SeriesSlice[],
): ReadonlyMap<string, readonly Group[]> | null {
  const providers = new Map<string, Group[]>()
  const bySource = new Map<string, Group>()
  for (const { series, columns } of slices) {
    if (!ORDERED_NAME.test(series.provider)) return null
    if (columns.n === 0) continue
    const ofProvider = providers.get(series.provider) ?? []
    providers.set(series.provider, ofProvider)
    const writer = new RowWriter(resource, series, columns)
    const changes = contextChanges(columns)
    const begun = new Set<Group>()
    let group: Group | undefined
    for (let row = 0; row < columns.n; row++) {
      if (!group || changes(row)) {
        const source = JSON.stringify(sourceOf(series, columns, row))
        group = bySource.get(source)
        if (!group) {
          group = new JsonBytes(HEAD_BYTES + (columns.n - row) * ROW_BYTES)
          if (bySource.size === 0) group.text(`{"groups":{${JSON.stringify(series.provider)}:[`)
          group.text(`{"source":${source},"data":[`)
          bySource.set(source, group)
          begun.add(group)
          ofProvider.push(group)
          // rows of several series in one group are to be put in the order of time
        } else if (!begun.has(group)) return null
      }
      writer.write(row, group)
    }
  }
  return providers
}
