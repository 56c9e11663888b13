/** Zooms and pans a view, with the wheel, the pointer and the keyboard. */
import type { View } from './series.ts'

/** Minimum length of a view. */
const LEAST_SECONDS = 1
const MOST_SECONDS = 40 * 366 * 86_400
const ZOOM_STEP = 0.5
const PAN_STEP = 0.25

/** Returns a view scaled by `factor`. The time at the fraction `share` of its length stays in place. */
export function zoomed({ from, to }: View, factor: number, share = 0.5): View {
  const length = Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, (to - from) * factor))
  const fixed = from + (to - from) * share
  return { from: fixed - length * share, to: fixed + length * (1 - share) }
}

/** Returns a view shifted by a fraction of its length. */
export function panned({ from, to }: View, share: number): View {
  const by = (to - from) * share
  return { from: from + by, to: to + by }
}

export const zoomedIn = (view: View): View => zoomed(view, ZOOM_STEP)
export const zoomedOut = (view: View): View => zoomed(view, 1 / ZOOM_STEP)
export const pannedLeft = (view: View): View => panned(view, -PAN_STEP)
export const pannedRight = (view: View): View => panned(view, PAN_STEP)

/** Effects of keys on the view. Other keys have no effect. */
export const KEYS: Readonly<Record<string, (view: View) => View>> = {
  '+': zoomedIn,
  '=': zoomedIn,
  '-': zoomedOut,
  ArrowUp: zoomedIn,
  ArrowDown: zoomedOut,
  ArrowLeft: pannedLeft,
  ArrowRight: pannedRight,
}

interface GestureTarget {
  readonly view: () => View
  readonly show: (view: View) => void
}

/**
 * Makes an element zoom with the wheel (with Ctrl, or while the chart has the focus), and pan with a sideways wheel, by dragging with
 * Shift, or with a finger. Returns a function that stops listening.
 */
export function listenForGestures(plot: HTMLElement, focused: HTMLElement, { view, show }: GestureTarget): () => void {
  const controller = new AbortController()
  const options = { signal: controller.signal }
  const shareOf = (clientX: number): number => {
    const { left, width } = plot.getBoundingClientRect()
    return Math.min(1, Math.max(0, (clientX - left) / width))
  }
  plot.addEventListener(
    'wheel',
    event => {
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX
      const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
      if (!isPan && !event.ctrlKey && !focused.contains(document.activeElement)) return
      event.preventDefault()
      if (isPan) show(panned(view(), sideways / plot.clientWidth))
      else show(zoomed(view(), Math.exp(Math.max(-100, Math.min(100, event.deltaY)) / 300), shareOf(event.clientX)))
    },
    { ...options, passive: false },
  )
  /** Fingers on the plot, or the pointer with Shift, by pointer ID. */
  const held = new Map<number, number>()
  plot.addEventListener(
    'pointerdown',
    event => {
      if (event.pointerType === 'mouse' && !event.shiftKey) return
      held.set(event.pointerId, event.clientX)
      plot.setPointerCapture(event.pointerId)
    },
    options,
  )
  plot.addEventListener(
    'pointermove',
    event => {
      const before = held.get(event.pointerId)
      if (before === undefined) return
      const others = [...held].filter(([id]) => id !== event.pointerId).map(([, x]) => x)
      held.set(event.pointerId, event.clientX)
      const other = others[0]
      if (other === undefined) return show(panned(view(), (before - event.clientX) / plot.clientWidth))
      const apart = Math.abs(event.clientX - other)
      if (apart > 10) show(zoomed(view(), Math.abs(before - other) / apart, shareOf((event.clientX + other) / 2)))
    },
    options,
  )
  for (const end of ['pointerup', 'pointercancel'] as const)
    plot.addEventListener(end, event => held.delete(event.pointerId), options)
  return () => controller.abort()
}
