/**
 * Writes a page of samples as bytes directly from the columns. The bytes are the same as those of `JSON.stringify` for the groups
 * (sample-groups.ts), at a fraction of the cost. These pages are the largest and most frequent responses.
 */

import type { TimeseriesResource } from '../../catalogue/resources.ts'
import { getOrInsert } from '../../core/maps.ts'
import type { SeriesSlice } from '../../store/sample.ts'
import { JsonBytes } from './json-bytes.ts'
import { RowWriter } from './row-writer.ts'
import { contextChanges, rowSource } from './sample-groups.ts'

/** One group: its head and its rows. */
type Group = JsonBytes

/** Approximate sizes of a row and of a group's header. */
const ROW_BYTES = 168
const HEAD_BYTES = 512

/**
 * Returns the whole response with each byte as one character (Node's `latin1`), or null if the page can only be sorted as groups. `next` is
 * the cursor of the next page.
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
      // removes the comma after the group's last row
      group.at--
      // the first group's bytes already include the text before it
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

/** Matches names that keep their insertion order as object keys. */
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
    const ofProvider = getOrInsert(providers, series.provider, () => [])
    const writer = new RowWriter(resource, series, columns)
    const changes = contextChanges(columns)
    const begun = new Set<Group>()
    let group: Group | undefined
    for (let row = 0; row < columns.n; row++) {
      if (!group || changes(row)) {
        const source = JSON.stringify(rowSource(series, columns, row))
        group = bySource.get(source)
        if (!group) {
          group = new JsonBytes(HEAD_BYTES + (columns.n - row) * ROW_BYTES)
          if (bySource.size === 0) group.text(`{"groups":{${JSON.stringify(series.provider)}:[`)
          group.text(`{"source":${source},"data":[`)
          bySource.set(source, group)
          begun.add(group)
          ofProvider.push(group)
          // rows of several series in one group must be sorted by time
        } else if (!begun.has(group)) return null
      }
      writer.write(row, group)
    }
  }
  return providers
}
