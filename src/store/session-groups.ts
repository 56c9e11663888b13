/** Groups sessions that were declared the same, and keeps groups apart that were declared different. */

/** Groups of sessions by ID. A session that was never mentioned is a group of its own. */
export class SessionGroups {
  private readonly parents = new Map<string, string>()
  /** The groups that must stay apart from a group, by their representatives. */
  private readonly others = new Map<string, Set<string>>()

  /** Returns the representative of the session's group. */
  group(id: string): string {
    let root = id
    for (let next = this.parents.get(root); next !== undefined; next = this.parents.get(root)) root = next
    for (let at = id; at !== root; ) {
      const next = this.parents.get(at) ?? root
      this.parents.set(at, root)
      at = next
    }
    return root
  }

  /** Returns whether two sessions must stay apart, because a session of one group must not be with a session of the other. */
  areApart(a: string, b: string): boolean {
    return this.others.get(this.group(a))?.has(this.group(b)) ?? false
  }

  /** Joins two groups. Returns false, and changes nothing, if they must stay apart. */
  join(a: string, b: string): boolean {
    const [root, joined] = [this.group(a), this.group(b)]
    if (root === joined) return true
    if (this.areApart(root, joined)) return false
    this.parents.set(joined, root)
    for (const other of this.others.get(joined) ?? []) {
      this.others.get(other)?.delete(joined)
      this.addOther(root, other)
    }
    this.others.delete(joined)
    return true
  }

  /** Keeps two groups apart. Returns false, and changes nothing, if they are one. */
  keepApart(a: string, b: string): boolean {
    const [first, second] = [this.group(a), this.group(b)]
    if (first === second) return false
    this.addOther(first, second)
    return true
  }

  private addOther(a: string, b: string): void {
    for (const [of, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const others = this.others.get(of)
      if (others) others.add(other)
      else this.others.set(of, new Set([other]))
    }
  }
}
