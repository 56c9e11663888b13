/** An HTTP method. Its color only repeats the word. Not a Badge, whose icons stand for states. */
import type { Tone } from '../../parts/small.tsx'

const TONES: Readonly<Record<string, Tone>> = { GET: 'accent', POST: 'good', DELETE: 'bad' }

export function Method({ children }: { readonly children: string }) {
  return <span class={`badge badge-${TONES[children] ?? 'warn'}`}>{children}</span>
}
