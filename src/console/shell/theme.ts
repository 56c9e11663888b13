/** The theme, light or dark. It is the system's theme unless the user chose one, and the choice is stored in this browser. */
import { readStored, store } from '../api/stored.ts'

export type Theme = 'system' | 'light' | 'dark'

const NAME = 'svc-theme'

export function storedTheme(): Theme {
  const stored = readStored(NAME)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme)
  store(NAME, theme === 'system' ? null : theme)
}
