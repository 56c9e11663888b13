/** Encoded routes. */
import { expect, test } from 'vitest'
import { encodePolyline, routeMap } from '../../../src/connectors/shared/polyline.ts'

/** Decodes a route with the published algorithm. */
function decoded(line: string): number[][] {
  const positions: number[][] = []
  let [lat, lng, at] = [0, 0, 0]
  const next = (): number => {
    let [result, shift, byte] = [0, 0, 0]
    do {
      byte = line.charCodeAt(at++) - 63
      result |= (byte & 0x1f) << shift
      shift += 5
    } while (byte >= 0x20)
    return result & 1 ? ~(result >> 1) : result >> 1
  }
  while (at < line.length) {
    lat += next()
    lng += next()
    positions.push([lat / 1e5, lng / 1e5])
  }
  return positions
}

test('encodes the example from the format’s documentation', () => {
  const positions = [
    { lat: 38.5, lng: -120.2 },
    { lat: 40.7, lng: -120.95 },
    { lat: 43.252, lng: -126.453 },
  ]
  expect(encodePolyline(positions)).toBe('_p~iF~ps|U_ulLnnqC_mqNvxq`@')
})

test('drops points from the summary that hardly change the route, and keeps its ends', () => {
  const positions = Array.from({ length: 100 }, (_, i) => ({ lat: i / 1000, lng: i < 50 ? 0 : (i - 49) / 1000 }))
  const map = routeMap(positions)
  expect(decoded(map?.polyline ?? '')).toEqual(positions.map(({ lat, lng }) => [lat, lng]))
  expect(decoded(map?.summary_polyline ?? '')).toEqual([
    [0, 0],
    [0.049, 0],
    [0.099, 0.05],
  ])
})

test('is empty for fewer than two positions, and limited in length for very many', () => {
  expect(routeMap([{ lat: 1, lng: 2 }])).toBeNull()
  const positions = Array.from({ length: 300_000 }, (_, i) => ({ lat: Math.sin(i) * 80, lng: Math.cos(i * 1.7) * 170 }))
  const map = routeMap(positions)
  expect(decoded(map?.polyline ?? '').length).toBeLessThanOrEqual(20_001)
  expect(decoded(map?.summary_polyline ?? '').length).toBeLessThanOrEqual(2001)
  expect(decoded(map?.polyline ?? '').at(-1)).toEqual([
    Math.round((positions.at(-1)?.lat ?? 0) * 1e5) / 1e5,
    Math.round((positions.at(-1)?.lng ?? 0) * 1e5) / 1e5,
  ])
})
