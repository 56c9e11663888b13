/** The location where a synthetic person trains: a loop in the open ocean near 0° N 0° E, where nobody lives. */
import { present } from '../../core/present.ts'
import { Stream } from '../../core/random.ts'
import { rounded } from './calendar.ts'
import type { Sport } from './traits.ts'

export interface Loop {
  /** Returns the position in degrees after this many metres. */
  positionAt(metres: number): { readonly lat: number; readonly lng: number }
  /** Returns metres above sea level after this many metres. */
  altitude(metres: number): number
  readonly lowest: number
  readonly highest: number
}

/**
 * Metres per degree. At the equator, a degree is equally long in both directions, so no transcendental functions are needed, and every
 * platform computes the same values.
 */
const METRES_A_DEGREE = 111_195
const DIAGONAL = Math.SQRT1_2
const CORNERS = [
  [0, 1],
  [DIAGONAL, DIAGONAL],
  [1, 0],
  [DIAGONAL, -DIAGONAL],
  [0, -1],
  [-DIAGONAL, -DIAGONAL],
  [-1, 0],
  [-DIAGONAL, DIAGONAL],
] as const
const LAP_METRES: Readonly<Record<Sport, number>> = { running: 3200, cycling: 9500 }
const HILL_METRES: Readonly<Record<Sport, number>> = { running: 1600, cycling: 4000 }

interface Corner {
  readonly x: number
  readonly y: number
  /** Distance along the loop from the first corner, in metres. */
  readonly at: number
}

/** Returns the person's loop, starting at its first corner. The hills of a workout add up to its elevation gain. */
export function drawLoop(seed: string, userId: string, sport: Sport, metres: number, climbM: number): Loop {
  const chance = new Stream(seed, userId, 'loop', sport)
  const centre = { lat: chance.between(-0.4, 0.4), lng: chance.between(-0.4, 0.4) }
  const ground = chance.whole(20, 300)
  const corners = drawCorners(chance, LAP_METRES[sport] * chance.between(0.8, 1.25))
  const lap = (corners.at(-1) as Corner).at
  const hills = Math.max(1, Math.round(metres / HILL_METRES[sport]))
  const height = climbM / hills
  return {
    positionAt(covered) {
      const along = covered % lap
      let i = 1
      while (i < corners.length - 1 && present(corners[i], 'a corner').at < along) i++
      const [from, to] = [present(corners[i - 1], 'a corner'), present(corners[i], 'a corner')]
      const share = (along - from.at) / (to.at - from.at)
      return {
        lat: micro(centre.lat + (from.y + (to.y - from.y) * share) / METRES_A_DEGREE),
        lng: micro(centre.lng + (from.x + (to.x - from.x) * share) / METRES_A_DEGREE),
      }
    },
    altitude(covered) {
      const within = ((covered / metres) * hills) % 1
      return rounded(ground + height * (within < 0.5 ? 2 * within : 2 - 2 * within), 1)
    },
    lowest: ground,
    highest: rounded(ground + height, 1),
  }
}

/** Returns eight irregular corners followed by the first one again, scaled to the lap length. */
function drawCorners(chance: Stream, lapMetres: number): readonly Corner[] {
  const raw = CORNERS.map(([x, y]) => {
    const reach = chance.between(0.7, 1.3)
    return { x: x * reach, y: y * reach }
  })
  // the last corner is the same as the first
  const closed = [...raw, ...raw.slice(0, 1)]
  const sides = closed.map((to, i) => {
    const from = raw[i - 1] ?? to
    return Math.sqrt((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y))
  })
  const scale = lapMetres / sides.reduce((sum, side) => sum + side, 0)
  let at = 0
  return closed.map(({ x, y }, i) => {
    at += (sides[i] ?? 0) * scale
    return { x: x * scale, y: y * scale, at }
  })
}

function micro(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6
}
