/** Colors of the theme as a canvas needs them: resolved, and again when the theme changes. */

export interface ChartColors {
  readonly series: readonly string[]
  readonly grid: string
  readonly text: string
  readonly meal: string
  readonly insulin: string
  readonly carbohydrates: string
}

const SERIES = 6

/** Resolves the colors in force inside an element. */
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
    meal: resolved('--good'),
    insulin: resolved('--series-4'),
    carbohydrates: resolved('--warn'),
  }
  probe.remove()
  return colors
}

/** The color class of a series: colors repeat after the sixth. */
export function colorNumber(index: number): number {
  return (index % SERIES) + 1
}

/** Calls back when the theme changes, by choice or by the system. Returns what ends it. */
export function whenThemeChanges(then: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const chosen = new MutationObserver(then)
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  system.addEventListener('change', then)
  return () => {
    chosen.disconnect()
    system.removeEventListener('change', then)
  }
}
