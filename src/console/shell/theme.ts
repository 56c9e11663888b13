/** The theme, light or dark. It is the system's theme unless the user chose one, and the choice is stored in this browser. */

export type Theme = 'system' | 'light' | 'dark'

const NAME = 'svc-theme'

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(NAME)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system' // a browser may forbid storage
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme)
  try {
    if (theme === 'system') localStorage.removeItem(NAME)
    else localStorage.setItem(NAME, theme)
  } catch {
    // the choice lasts until the page is reloaded
  }
}
