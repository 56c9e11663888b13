/** Several charts in one picture, stacked, each with its own scale. */
import type { Chart } from './chart.ts'
import { svgChart } from './svg-chart.ts'

const SIZE = / viewBox="0 0 (\d+) (\d+)"/

/** Returns the document, which ends with a newline. If there are no charts, the document says so. */
export function svgCharts(charts: readonly Chart[]): string {
  if (charts.length === 0) return svgChart({ title: 'No rows', unit: '', mark: 'line', points: 'buckets', series: [] })
  const [first] = charts
  if (charts.length === 1) return svgChart(first as Chart)
  let [width, height] = [0, 0]
  const parts = charts.map((chart, i) => {
    // IDs must be unique in the whole document
    const picture = svgChart(chart).replaceAll('svc-title', `svc-title${i}`).replaceAll('svc-desc', `svc-desc${i}`)
    const size = SIZE.exec(picture)
    const positioned = picture.replace('<svg ', `<svg y="${height}" `)
    width = Math.max(width, Number(size?.[1]))
    height += Number(size?.[2])
    return positioned
  })
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`
  return `${head}\n${parts.join('')}</svg>\n`
}
