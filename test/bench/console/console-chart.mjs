/** Charts of the data page: a month of minutes from three sources, and a million samples. Measured from outside the page's own code. */
import { median } from '../figures.mjs'
import { addTimes, slowness } from '../reference.mjs'
import { signedIn, withServer } from './console-server.mjs'

const MOST_DRAWN_MS = 150
const LEAST_FRAMES = 50
const MOST_MILLION_MS = 1000
const MINUTE = 60_000
const MONTH = 43_200
const MILLION = 1_000_000
const LAST = Date.UTC(2026, 10, 20)
const SOURCES = [
  ['oura', 'ring'],
  ['garmin', 'watch'],
  ['polar', 'chest_strap'],
]
const FRAMES = 120

/** Records when the canvas was last drawn on, and how often in each frame. Runs before the page's own scripts. */
function watchCanvas() {
  const { prototype } = CanvasRenderingContext2D
  for (const name of ['stroke', 'fill', 'fillRect', 'drawImage']) {
    const own = prototype[name]
    prototype[name] = function (...args) {
      globalThis.drawnAt = performance.now()
      return own.apply(this, args)
    }
  }
}

/** When the last response of these paths began and ended, and when the canvas was drawn on after it; null until then. */
function timesOf(part) {
  const responses = performance.getEntriesByType('resource').filter(({ name }) => name.includes(part))
  if (responses.length === 0) return null
  const from = Math.min(...responses.map(each => each.startTime))
  const to = Math.max(...responses.map(each => each.responseEnd))
  const drawn = globalThis.drawnAt ?? 0
  // nothing is drawn or requested any more
  if (drawn <= to || performance.now() - drawn < 500) return null
  return { from, to, drawn }
}

/**
 * Moves the chart back and forth with the wheel in every frame. Returns the frames a second, and the number of frames in which it was
 * drawn.
 */
async function panned(frames) {
  const plot = document.querySelector('.u-over')
  let drawn = 0
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
  await frame()
  const began = performance.now()
  for (let i = 0; i < frames; i++) {
    const before = globalThis.drawnAt
    const deltaX = i % 60 < 30 ? -12 : 12
    plot.dispatchEvent(new WheelEvent('wheel', { deltaX, bubbles: true, cancelable: true }))
    await frame()
    if (globalThis.drawnAt > before) drawn++
  }
  return { rate: (frames * 1000) / (performance.now() - began), drawn }
}

/** Imports minutes up to LAST. */
async function importMinutes(server, userId, [provider, sourceType], count, shift) {
  const rows = ['start,value']
  for (let i = count; i > 0; i--) {
    const value = 62 + shift + 18 * Math.sin(i / 230) + ((i * 7919) % 13)
    rows.push(`${new Date(LAST - i * MINUTE).toISOString()},${value.toFixed(1)}`)
  }
  const mapping = JSON.stringify({ columns: { start: 'start', value: 'value' }, resource: 'heartrate' })
  const query = new URLSearchParams({ provider, source_type: sourceType, mapping })
  const response = await fetch(`${server.url}/svc/v1/users/${userId}/imports?${query}`, {
    method: 'POST',
    headers: { 'x-service-api-key': server.apiKey, 'content-type': 'text/csv' },
    body: rows.join('\n'),
  })
  if (!response.ok) throw new Error(`The import answered ${response.status}: ${await response.text()}`)
}

/** Opens the data page in a new tab, and returns it once the chart is stable, with its times. */
async function opened(context, url, part) {
  const page = await context.newPage()
  await page.addInitScript(watchCanvas)
  await page.goto(url)
  const handle = await page.waitForFunction(timesOf, part, { timeout: 120_000 })
  return { page, times: await handle.jsonValue() }
}

/** The samples as each source stored them, which the page reads one by one, and their merged values, which it shows by default. */
async function benchMonth(figures, context, server, options) {
  const { user_id: userId } = await server.call('POST', '/v2/user', { client_user_id: 'month' })
  for (const [i, source] of SOURCES.entries()) await importMinutes(server, userId, source, MONTH, 9 * i)
  const url = `${server.url}/console/data?user=${userId}&resource=heartrate&days=30`
  const count = (SOURCES.length * MONTH).toLocaleString('en')
  const what = `a month of minutes from ${SOURCES.length} sources`
  await benchView(figures, context, `${what} (${count} samples)`, {
    ...options,
    url: `${url}&sources=all`,
    part: '/grouped',
  })
  await benchView(figures, context, `${what}, merged`, { ...options, url, part: '/query' })
}

/** `part` is in the paths of the requests for the drawn data. */
async function benchView(figures, context, what, { rounds, url, part }) {
  const seen = []
  const pans = []
  for (let round = -1; round < rounds; round++) {
    const { page, times } = await opened(context, url, part)
    const pan = await page.evaluate(panned, FRAMES)
    await page.close()
    if (round < 0) continue
    seen.push({ ...times, ms: times.drawn - times.to, factor: slowness() })
    pans.push(pan)
  }
  addTimes(figures, `${what}: drawn after the last response`, seen, MOST_DRAWN_MS)
  figures.add('  from navigation to it', `${median(seen.map(each => each.drawn)).toFixed(0)} ms`)
  const rate = median(pans.map(each => each.rate))
  figures.add('  frames a second while it pans', rate.toFixed(1), `≥ ${LEAST_FRAMES}`, rate >= LEAST_FRAMES)
  const share = median(pans.map(each => each.drawn)) / FRAMES
  figures.add('  frames in which the chart moved', `${(share * 100).toFixed(0)} %`)
}

async function benchMillion(figures, context, server, { rounds }) {
  const { user_id: userId } = await server.call('POST', '/v2/user', { client_user_id: 'million' })
  await importMinutes(server, userId, SOURCES[0], MILLION, 0)
  const text = at => new Date(at).toISOString().slice(0, 19)
  const period = `start=${text(LAST - MILLION * MINUTE)}&end=${text(LAST)}`
  const url = `${server.url}/console/data?user=${userId}&resource=heartrate&${period}`
  const seen = []
  for (let round = -1; round < rounds; round++) {
    const { page, times } = await opened(context, url, '/aggregate/')
    await page.close()
    if (round >= 0) seen.push({ ...times, ms: times.drawn - times.from, factor: slowness() })
  }
  addTimes(figures, 'a million samples: aggregate request and drawn', seen, MOST_MILLION_MS)
  figures.add('  of it, the request', `${median(seen.map(({ from, to }) => to - from)).toFixed(0)} ms`)
}

export async function benchCharts(figures, browser, options) {
  await withServer(async server => {
    const context = await signedIn(browser, server)
    await benchMonth(figures, context, server, options)
    await benchMillion(figures, context, server, options)
    await context.close()
  })
}
