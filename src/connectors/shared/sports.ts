/** Maps sport names in activity files to sports in the catalogue. */
import { OTHER_SPORT, type Sport, sportNamed } from '../../catalogue/sports.ts'

/** Slugs by word, in lower case with underscores. Words that are catalogue slugs need no entry. */
const WORDS: Readonly<Record<string, string>> = {
  biking: 'cycling',
  bike: 'cycling',
  ride: 'cycling',
  road_biking: 'cycling',
  road_cycling: 'cycling',
  run: 'running',
  street_running: 'running',
  walk: 'walking',
  hike: 'hiking',
  swim: 'swimming',
  lap_swimming: 'swimming',
  open_water: 'open_water_swimming',
  mtb: 'mountain_biking',
  virtual_cycling: 'virtual_ride',
  treadmill: 'treadmill_running',
  trail_run: 'trail_running',
  e_bike_ride: 'electric_cycling',
  row: 'rowing',
  alpine_skiing: 'downhill_skiing',
  resort_skiing: 'downhill_skiing',
  nordic_ski: 'cross_country_skiing',
  strength_training: 'traditional_strength_training',
  // numbers that one service uses as types in its GPX files
  '1': 'cycling',
  '9': 'running',
  '10': 'walking',
}

/** Returns a word as spelled in the sport tables: `trail_running` for `Trail running`, `trail-running` or `trailRunning`. */
export function sportKey(word: string): string {
  return word
    .trim()
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}

/** Returns the sport for a word in a file, such as `Biking` or `trail running`. Unknown words are "Other". */
export function sportOfWord(word: string | undefined): Sport {
  const key = sportKey(word ?? '')
  return sportNamed(key) ?? sportNamed(WORDS[key] ?? '') ?? OTHER_SPORT
}

/** Sports on foot, in which one revolution of the legs is two steps. */
const ON_FOOT: ReadonlySet<string> = new Set([
  'running',
  'treadmill_running',
  'trail_running',
  'walking',
  'hiking',
  'track_and_field',
])

/** Returns whether cadence counts strides in this sport. Each stride is two steps. */
export function isOnFoot(sport: Sport): boolean {
  return ON_FOOT.has(sport.slug)
}
