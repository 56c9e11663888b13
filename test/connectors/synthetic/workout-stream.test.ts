/** Streams of synthetic workouts match their summaries, and are located where nobody lives. */
import { describe, expect, it } from 'vitest'
import { type Provider, SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { type SyntheticHistory, syntheticHistory } from '../../../src/connectors/synthetic/person.ts'
import type { StreamColumn, StreamRecord } from '../../../src/core/stream.ts'

const NOW = Date.UTC(2026, 10, 20, 15, 7, 12)
const live = (slug: string, userId = '0b8f0f9e-1111-4222-8333-444455556666'): SyntheticHistory =>
  syntheticHistory({
    seed: 'seed',
    userId,
    provider: SHIPPED_REGISTRY.find(slug) as Provider,
    timeZone: 'Europe/Berlin',
    now: NOW,
  })

function findColumn(stream: StreamRecord, name: StreamColumn): Float64Array {
  const column = stream.columns.get(name)
  if (!column) throw new Error(`no ${name}`)
  return column
}

/** Returns the streams with the documents of their workouts. */
function told(history: SyntheticHistory): { stream: StreamRecord; doc: Readonly<Record<string, number | null>> }[] {
  return history.streams.map(stream => {
    const workout = history.summaries.find(each => each.id === stream.workoutId)
    if (!workout) throw new Error('a stream without its workout')
    return { stream, doc: workout.document as never }
  })
}

describe.each(['zwift', 'peloton', 'hammerhead', 'garmin', 'strava'])('a workout at %s', provider => {
  const history = live(provider)
  const workouts = history.summaries.filter(each => each.kind === 'workouts')

  it('has one stream, with a point every five seconds from start to end', () => {
    expect(history.streams.map(each => each.workoutId)).toEqual(workouts.map(each => each.id))
    expect(history.streams.length).toBeGreaterThan(3)
    for (const { stream, doc } of told(history)) {
      expect(stream.time[0]).toBe(Date.parse(doc['time_start'] as never))
      expect(stream.time[stream.n - 1]).toBe(Date.parse(doc['time_end'] as never))
      expect(new Set(stream.time.subarray(1).map((at, i) => at - (stream.time[i] as number)))).toEqual(new Set([5000]))
      for (const [name, column] of stream.columns) {
        expect(column.length, name).toBe(stream.n)
        expect(column.every(Number.isFinite), name).toBe(true)
      }
    }
  })

  it('covers the distance of its summary, never faster than its maximum speed', () => {
    for (const { stream, doc } of told(history)) {
      const distance = findColumn(stream, 'distance')
      expect(distance[0]).toBe(0)
      expect(distance[stream.n - 1]).toBe(doc['distance'])
      for (let i = 1; i < stream.n; i++) expect(distance[i] as number).toBeGreaterThan(distance[i - 1] as number)
      expect(Math.max(...findColumn(stream, 'velocity_smooth'))).toBeLessThanOrEqual(doc['max_speed'] as number)
    }
  })

  it('has the heart rates of its summary', () => {
    for (const { stream, doc } of told(history)) {
      const heart = findColumn(stream, 'heartrate')
      const mean = heart.reduce((sum, each) => sum + each, 0) / stream.n
      expect(Math.abs(mean - (doc['average_hr'] as number))).toBeLessThan(6)
    }
  })
})

describe('the route of a workout', () => {
  it('stays in the ocean near 0° N 0° E, climbs as much as the summary says, and moves in small steps', () => {
    for (const { stream, doc } of told(live('hammerhead'))) {
      const [lat, lng, altitude] = (['lat', 'lng', 'altitude'] as const).map(name => findColumn(stream, name)) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ]
      expect(Math.max(...lat.map(Math.abs), ...lng.map(Math.abs))).toBeLessThan(0.5)
      expect(Math.min(...altitude)).toBeGreaterThanOrEqual(doc['elev_low'] as number)
      expect(Math.max(...altitude)).toBeLessThanOrEqual(doc['elev_high'] as number)
      let climbed = 0
      for (let i = 1; i < stream.n; i++) {
        climbed += Math.max(0, (altitude[i] as number) - (altitude[i - 1] as number))
        const degrees = Math.hypot(
          (lat[i] as number) - (lat[i - 1] as number),
          (lng[i] as number) - (lng[i - 1] as number),
        )
        expect(degrees * 111_195).toBeLessThan(60)
      }
      expect(Math.abs(climbed - (doc['total_elevation_gain'] as number))).toBeLessThan(6)
    }
  })

  it('contains only values that such a device records: no position on a stationary machine, no power on foot', () => {
    const columns = (provider: string, userId?: string) => [
      ...(live(provider, userId).streams[0] as StreamRecord).columns.keys(),
    ]
    expect(columns('peloton')).toContain('resistance')
    expect(columns('peloton')).not.toContain('lat')
    expect(columns('zwift')).not.toContain('temperature')
    const runner = Array.from({ length: 20 }, (_, i) => `0b8f0f9e-1111-4222-8333-4444555566${10 + i}`).find(
      userId => live('zwift', userId).streams[0]?.sport?.slug === 'running',
    )
    expect(columns('hammerhead', runner)).not.toContain('power')
  })
})
