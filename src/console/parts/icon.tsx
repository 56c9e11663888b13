/** Icons, from Lucide. The build keeps only those that are imported. */
import type { IconNode } from 'lucide'
import { h } from 'preact'

/** An icon beside a text that says the same, or in a button that has a label. Screen readers skip it. */
export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([shape, attributes]) => h(shape, attributes))}
    </svg>
  )
}
