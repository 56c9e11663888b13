/**
 * Merges the pages of a timeseries into one response of the same shape, as text in pieces that may exceed the maximum length of a string.
 */
import type { Group, GroupedPage } from '../../engine/readings/sample-order.ts'

interface MergedGroup {
  readonly source: string
  /** Samples as JSON without the brackets of the list. They are outside the heap, because they may be gigabytes in size. */
  readonly blocks: Buffer[]
}

/** Merges groups of the same source; providers and groups keep the order in which they arrived. */
export class MergedResponse {
  private readonly providers = new Map<string, Map<string, MergedGroup>>()
  private last: GroupedPage | undefined

  add(page: GroupedPage): void {
    this.last = page
    for (const [provider, groups] of Object.entries(page.groups)) {
      const known = this.providers.get(provider) ?? new Map<string, MergedGroup>()
      this.providers.set(provider, known)
      for (const group of groups) addGroup(known, group)
    }
  }

  /** Yields the text of the response. Everything except the groups comes from the last page, so a single page is returned unchanged. */
  async *text(): AsyncGenerator<string | Uint8Array> {
    let before = '{'
    for (const [name, value] of Object.entries(this.last ?? {})) {
      yield `${before}${JSON.stringify(name)}:`
      if (name === 'groups') yield* this.groups()
      else yield JSON.stringify(value)
      before = ','
    }
    yield '}\n'
  }

  private async *groups(): AsyncGenerator<string | Uint8Array> {
    let before = '{'
    for (const [provider, groups] of this.providers) {
      yield `${before}${JSON.stringify(provider)}:[`
      let between = ''
      for (const { source, blocks } of groups.values()) {
        yield `${between}{"source":${source},"data":[`
        for (const [i, block] of blocks.entries()) {
          if (i > 0) yield ','
          yield block
        }
        yield ']}'
        between = ','
      }
      yield ']'
      before = ','
    }
    yield this.providers.size === 0 ? '{}' : '}'
  }
}

function addGroup(known: Map<string, MergedGroup>, { source, data }: Group): void {
  const key = JSON.stringify(source)
  const group = known.get(key) ?? { source: key, blocks: [] }
  known.set(key, group)
  if (data.length > 0) group.blocks.push(Buffer.from(JSON.stringify(data).slice(1, -1)))
}
