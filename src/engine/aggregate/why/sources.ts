/** The sources of a number: what each has, and what it contributes. */

import { kindsOf } from '../../../catalogue/kinds.ts'
import type { WhySource } from '../../../contract/aggregates/why.ts'
import { getOrInsert } from '../../../core/maps.ts'
import type { DictColumn } from '../../../core/sample.ts'
import type { SourceOrder } from '../functions/priority.ts'
import { type Block, type BlockSource, NO_KIND } from '../scan/block.ts'

/** The names by which sources are told apart. `SourceNamesPool` has one object for each. */
export interface SourceNames {
  readonly provider: string
  readonly sourceType: string
  readonly type: string | null
  readonly app: string | null
  readonly device: string | null
  /** Set if there is a number for each kind. */
  readonly kind: string | null
}

interface Counted {
  readonly names: SourceNames
  readonly source: BlockSource
  rows: number
  used: number
  value: number
  minutes: number
  readonly kinds: Map<string, number>
}

export class Sources {
  private readonly all = new Map<SourceNames, Counted>()
  private readonly isAmount: boolean
  private readonly resource: string | null

  /** `isAmount` is whether the sources contribute amounts, which have shares. */
  constructor(resource: string | null, isAmount: boolean) {
    this.resource = resource
    this.isAmount = isAmount
  }

  /** Adds a row that `where` keeps. */
  addRow(names: SourceNames): void {
    this.entry(names).rows++
  }

  /** Adds a row that counts, with what it contributes. */
  addUsed(names: SourceNames, kind: string | null, value: number, minutes: number): void {
    const entry = this.entry(names)
    entry.used++
    entry.value += value
    entry.minutes += minutes
    if (kind !== null && kind !== NO_KIND) entry.kinds.set(kind, (entry.kinds.get(kind) ?? 0) + 1)
  }

  /** Returns the sources, best first, and the position of each. `why` says why one comes before another. */
  list(
    order: SourceOrder,
    why: (better: BlockSource, worse: BlockSource) => string,
  ): { readonly sources: WhySource[]; readonly at: (names: SourceNames) => number } {
    const ranked = [...this.all.values()].sort((a, b) => order(a.source, b.source))
    const total = ranked.reduce((sum, each) => sum + this.amount(each), 0)
    const positions = new Map(ranked.map(({ names }, i) => [names, i]))
    const sources = ranked.map((each, i): WhySource => {
      const { names, source, rows, used, value, minutes, kinds } = each
      const next = ranked[i + 1]
      const reason = next ? why(source, next.source) : i === 0 ? 'the only source' : 'the last source'
      return {
        provider: names.provider,
        source_type: names.sourceType,
        type: names.type,
        app_id: names.app,
        device_id: names.device,
        kind: names.kind,
        rank: i + 1,
        used: used > 0,
        rows,
        rows_used: used,
        value: this.isAmount ? value : null,
        minutes: this.isAmount ? minutes : null,
        share: total > 0 ? this.amount(each) / total : null,
        reason,
        kinds: [...kinds].map(([kind, count]) => ({ kind, rows: count })),
      }
    })
    return { sources, at: names => positions.get(names) ?? 0 }
  }

  private amount({ value, used }: Counted): number {
    return this.isAmount ? value : used
  }

  private entry(names: SourceNames): Counted {
    return getOrInsert(this.all, names, (): Counted => {
      const { provider, sourceType, type, app, device } = names
      const source = { resource: this.resource, provider, sourceType, type, app, device }
      return { names, source, rows: 0, used: 0, value: 0, minutes: 0, kinds: new Map() }
    })
  }
}

/** Returns one object for each source, so that sources can be compared quickly. */
export class SourceNamesPool {
  private readonly known = new Map<string, SourceNames>()

  of(names: SourceNames): SourceNames {
    const { provider, sourceType, type, app, device, kind } = names
    return getOrInsert(this.known, JSON.stringify([provider, sourceType, type, app, device, kind]), () => names)
  }

  /** Returns a function that maps a row of a sample block to its source. */
  ofSamples(block: Block, splitsKinds: boolean): (row: number) => SourceNames {
    const { source, stored } = block
    const [apps, devices] = [stored?.text.get('app_id'), stored?.text.get('device_id')]
    const kinds = splitsKinds ? kindsIn(block) : () => null
    const { provider, sourceType, type } = source
    const named = (column: DictColumn | undefined, code: number) =>
      code === 0 ? null : (column?.values[code - 1] ?? null)
    const known = new Map<string, SourceNames>()
    return row => {
      const [app, device, kind] = [apps?.codes[row] ?? 0, devices?.codes[row] ?? 0, kinds(row)]
      return getOrInsert(known, `${app} ${device} ${kind}`, () =>
        this.of({ provider, sourceType, type, app: named(apps, app), device: named(devices, device), kind }),
      )
    }
  }
}

/** Returns a function that names the kind of each row of a block; null if its resource has no kinds. */
export function kindsIn(block: Block): (row: number) => string | null {
  const usual = usualKindOf(block)
  const found = block.kinds?.() ?? null
  return row => (found === null ? usual : (found.names[found.codes[row] ?? 0] ?? usual))
}

function usualKindOf({ source }: Block): string | null {
  return source.resource === null ? null : (kindsOf(source.resource)?.usual.name ?? null)
}
