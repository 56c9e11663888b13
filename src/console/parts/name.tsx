/** Names and texts that came from outside. */

interface NameProps {
  readonly children: string
  /** Lines after which it is cut; the tooltip has all of it. */
  readonly lines?: 1 | 3
}

/** A name of any length and script: it keeps its own direction of writing, and is cut where it would push everything else away. */
export function Name({ children, lines = 1 }: NameProps) {
  return (
    <bdi class={lines === 1 ? 'name' : 'name name-lines'} title={children}>
      {children}
    </bdi>
  )
}

/** A word of the interface in plain text: `token_refresh_failed` becomes "token refresh failed". */
export function words(name: string): string {
  return name.replaceAll('_', ' ')
}
