/** Counts the fields of nested records that nothing reads. */
import { asObject } from '../files/json/fields.ts'
import type { LivePage } from './page.ts'

const MOST_DEPTH = 4
const NAME = /^[\w-]{1,40}$/

/**
 * Counts every field of a record that nothing reads, by its path. `known` holds the paths that are read, and those of ids and times; what
 * lies below a known path is known as well.
 */
export function countUnknown(record: unknown, prefix: string, known: ReadonlySet<string>, page: LivePage): void {
  const visit = (value: unknown, path: string, depth: number): void => {
    for (const [name, each] of Object.entries(asObject(value) ?? {})) {
      const below = path === '' ? name : `${path}.${name}`
      if (each === null || known.has(below)) continue
      if (!NAME.test(name)) page.skip(`${path === '' ? prefix : `${prefix}.${path}`} (others)`)
      else if (asObject(each) !== undefined && depth < MOST_DEPTH) visit(each, below, depth + 1)
      else page.skip(`${prefix}.${below}`)
    }
  }
  visit(record, '', 0)
}
