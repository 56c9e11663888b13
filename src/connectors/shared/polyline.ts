/** Encodes routes as polylines (precision 5), complete and simplified, for a workout's `map`. */

/** A position in degrees (WGS 84). */
export interface RoutePosition {
  readonly lat: number
  readonly lng: number
}

const PRECISION = 1e5
/** Maximum number of positions in the complete line; for a longer route, only every k-th position is kept. */
const MOST_POSITIONS = 20_000
/** Maximum number of positions to simplify. In the worst case, the work grows with the square of this number. */
const MOST_SIMPLIFIED = 2_000
/** Tolerance of the simplified line, as a fraction of the route's extent: positions that are further from the line are kept. */
const TOLERANCE = 1 / 500

/** Returns a route's two lines, or null if there are fewer than two positions. */
export function routeMap(
  positions: readonly RoutePosition[],
): { readonly polyline: string; readonly summary_polyline: string } | null {
  if (positions.length < 2) return null
  return {
    polyline: encodePolyline(thinned(positions, MOST_POSITIONS)),
    summary_polyline: encodePolyline(simplified(thinned(positions, MOST_SIMPLIFIED))),
  }
}

/** Encodes each position as its difference from the previous one, five bits per character. */
export function encodePolyline(positions: readonly RoutePosition[]): string {
  const parts: string[] = []
  let [lastLat, lastLng] = [0, 0]
  for (const position of positions) {
    const lat = Math.round(position.lat * PRECISION)
    const lng = Math.round(position.lng * PRECISION)
    parts.push(encoded(lat - lastLat), encoded(lng - lastLng))
    lastLat = lat
    lastLng = lng
  }
  return parts.join('')
}

function encoded(difference: number): string {
  let bits = difference < 0 ? ~(difference << 1) : difference << 1
  let text = ''
  while (bits >= 0x20) {
    text += String.fromCharCode((0x20 | (bits & 0x1f)) + 63)
    bits >>>= 5
  }
  return text + String.fromCharCode(bits + 63)
}

/** Returns every k-th position and the last one. */
function thinned(positions: readonly RoutePosition[], most: number): readonly RoutePosition[] {
  if (positions.length <= most) return positions
  const step = Math.ceil(positions.length / (most - 1))
  const kept = positions.filter((_, i) => i % step === 0)
  return (positions.length - 1) % step === 0 ? kept : [...kept, ...positions.slice(-1)]
}

/**
 * Removes positions that hardly bend the line (Ramer–Douglas–Peucker algorithm). Longitudes are scaled so that degrees have equal length in
 * both directions.
 */
function simplified(positions: readonly RoutePosition[]): readonly RoutePosition[] {
  const [first] = positions
  if (!first) return positions
  const squeeze = Math.cos((first.lat * Math.PI) / 180)
  const at = positions.map(({ lat, lng }) => ({ x: lng * squeeze, y: lat }))
  const tolerance = extent(at) * TOLERANCE
  const kept = new Uint8Array(positions.length)
  kept[0] = 1
  kept[positions.length - 1] = 1
  const open: [number, number][] = [[0, positions.length - 1]]
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [from, to] = range
    let farthest = from
    let most = tolerance
    for (let i = from + 1; i < to; i++) {
      const distance = distanceToLine(at[i] as Point, at[from] as Point, at[to] as Point)
      if (distance <= most) continue
      most = distance
      farthest = i
    }
    if (farthest === from) continue
    kept[farthest] = 1
    open.push([from, farthest], [farthest, to])
  }
  return positions.filter((_, i) => kept[i] === 1)
}

interface Point {
  readonly x: number
  readonly y: number
}

function extent(points: readonly Point[]): number {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const { x, y } of points) {
    west = Math.min(west, x)
    east = Math.max(east, x)
    south = Math.min(south, y)
    north = Math.max(north, y)
  }
  return Math.hypot(east - west, north - south)
}

function distanceToLine(point: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : ((point.x - from.x) * dx + (point.y - from.y) * dy) / length
  const t = Math.max(0, Math.min(1, along))
  return Math.hypot(point.x - from.x - t * dx, point.y - from.y - t * dy)
}
