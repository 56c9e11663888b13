/** Corrections: which sessions must be in one row, and which must not. */
import type { PlainCorrection } from '../data.ts'

interface Timed {
  readonly ids: readonly string[]
  readonly time: readonly [from: number, to: number] | null
}

/** Groups of session IDs, as lists. */
export class DeclaredGroups {
  private groups: (readonly string[])[] = []
  private readonly apart: readonly (readonly [string, string])[]

  /** Corrections of other sessions, and of sessions without a usable time, do not count. */
  constructor(corrections: readonly PlainCorrection[], sessions: readonly Timed[]) {
    const ids = sessions.filter(({ time }) => time !== null).flatMap(each => each.ids)
    const counting = corrections.filter(each => each.ids.every(id => ids.includes(id)))
    for (const { isSame, ids: pair } of counting) if (isSame) this.unite(pair)
    this.apart = counting.filter(({ isSame }) => !isSame).map(each => each.ids)
  }

  areTogether(a: Pick<Timed, 'ids'>, b: Pick<Timed, 'ids'>): boolean {
    const group = this.groupWith(a.ids)
    return b.ids.some(id => group.includes(id))
  }

  /** Returns whether uniting them would bring together two sessions that were declared different. */
  mustBeApart(a: Pick<Timed, 'ids'>, b: Pick<Timed, 'ids'>): boolean {
    const united = [...this.groupWith(a.ids), ...this.groupWith(b.ids)]
    return this.apart.some(pair => pair.every(id => united.includes(id)))
  }

  /** Puts them into one group. */
  put(a: Pick<Timed, 'ids'>, b: Pick<Timed, 'ids'>): void {
    this.unite([...a.ids, ...b.ids])
  }

  private groupWith(ids: readonly string[]): readonly string[] {
    return [...ids, ...this.groups.filter(group => group.some(id => ids.includes(id))).flat()]
  }

  private unite(ids: readonly string[]): void {
    const united = [...new Set(this.groupWith(ids))]
    this.groups = [...this.groups.filter(group => !group.some(id => united.includes(id))), united]
  }
}

/** Returns whether corrections contradict each other: two sessions are different, and the same through others. */
export function contradict(corrections: readonly PlainCorrection[]): boolean {
  const sessions = corrections.map(({ ids }) => ({ ids, time: [0, 1] as const }))
  const groups = new DeclaredGroups(corrections, sessions)
  return corrections.some(({ isSame, ids: [a, b] }) => !isSame && groups.areTogether({ ids: [a] }, { ids: [b] }))
}
