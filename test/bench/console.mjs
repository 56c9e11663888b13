/**
 * `npm run bench:console`: the console in a headless Chromium (size and time of the first view, the overview, charts), and its cost for `svc serve`.
 * `--only view,overview,chart,serve` runs some parts only; `--base FOLDER` compares `serve` with another built working tree; `--rounds N` (7).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundled, root } from './bundle.mjs'
import { benchCharts } from './console/console-chart.mjs'
import { benchOverview } from './console/console-overview.mjs'
import { benchServe } from './console/console-serve.mjs'
import { benchView } from './console/console-view.mjs'
import { Figures } from './figures.mjs'

const { values } = parseArgs({
  options: { only: { type: 'string' }, base: { type: 'string' }, rounds: { type: 'string', default: '7' } },
})
if (!existsSync(join(root, 'dist', 'console', 'manifest.json'))) throw new Error('Run `npm run build` first.')
const rounds = Number(values.rounds)
const wanted = values.only?.split(',')
const figures = new Figures()
const inBrowser = async bench => {
  const { browserPath, openBrowser } = await bundled('console/console-entry.ts')
  const executable = browserPath()
  if (executable === undefined) throw new Error('No Chromium is installed. Install one, or name it in SVC_CHROMIUM.')
  const browser = await openBrowser(executable)
  try {
    await bench(browser)
  } finally {
    await browser.close()
  }
}
const parts = {
  view: () => inBrowser(browser => benchView(figures, browser, { rounds })),
  overview: () => inBrowser(browser => benchOverview(figures, browser, { rounds })),
  chart: () => inBrowser(browser => benchCharts(figures, browser, { rounds })),
  serve: () => benchServe(figures, { rounds, base: values.base }),
}
for (const [name, run] of Object.entries(parts)) if (!wanted || wanted.includes(name)) await run()
process.exit(figures.missed > 0 ? 1 : 0)
