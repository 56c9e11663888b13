/** The theme's colors for a canvas, which cannot use CSS variables. */

export interface ChartColors {
  readonly series: readonly string[]
  readonly grid: string
  readonly text: string
  readonly good: string
  readonly meal: string
  readonly insulin: string
  readonly carbohydrates: string
}

const SERIES = 6

/** Returns the colors that apply inside an element. */
export function colorsIn(element: HTMLElement): ChartColors {
  const probe = document.createElement('i')
  element.append(probe)
  const resolved = (name: string): string => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const colors = {
    series: Array.from({ length: SERIES }, (_, i) => resolved(`--series-${i + 1}`)),
    grid: resolved('--line'),
    text: resolved('--soft'),
    good: resolved('--good'),
    meal: resolved('--good'),
    insulin: resolved('--series-4'),
    carbohydrates: resolved('--warn'),
  }
  probe.remove()
  return colors
}

/** Returns the color number of a series, from 1. Colors repeat after six series. */
export function colorNumber(index: number): number {
  return (index % SERIES) + 1
}

/** Calls `then` when the user or the system changes the theme. Returns a function that stops listening. */
export function whenThemeChanges(then: () => void): () => void {
  const system = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map(query => matchMedia(query))
  const chosen = new MutationObserver(then)
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  for (const each of system) each.addEventListener('change', then)
  return () => {
    chosen.disconnect()
    for (const each of system) each.removeEventListener('change', then)
  }
}
