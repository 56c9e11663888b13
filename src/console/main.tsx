/** Starts the console in the browser. */
import { options, render } from 'preact'
import { BASE } from './api/base.ts'
import { withUser } from './api/chosen-user.ts'
import { App } from './app.tsx'
import { applyTheme, storedTheme } from './shell/theme.ts'
import './style/main.css'

applyTheme(storedTheme())
// links on pages omit the base path that a proxy may add, and the chosen user
options.vnode = vnode => {
  const { href } = vnode.props as { href?: unknown } // only links have an href
  if (vnode.type === 'a' && typeof href === 'string' && href.startsWith('/')) {
    Object.assign(vnode.props, { href: `${BASE}${withUser(href)}` })
  }
}
const root = document.querySelector('#console')
if (root) render(<App />, root)
