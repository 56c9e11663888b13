/** Names and texts that come from users and providers. */

interface NameProps {
  readonly children: string
  /** Maximum number of lines. The tooltip has the whole text. */
  readonly lines?: 1 | 3
}

/** A name of any length and script. It keeps its own writing direction, and is shortened to fit the layout. */
export function Name({ children, lines = 1 }: NameProps) {
  return (
    <bdi class={lines === 1 ? 'name' : 'name name-lines'} title={children}>
      {children}
    </bdi>
  )
}
