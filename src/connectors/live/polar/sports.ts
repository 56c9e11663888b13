/** Maps Polar's sports and devices to sports and source types of the catalogue. */

import type { SourceType } from '../../../catalogue/source-types.ts'
import { OTHER_SPORT, type Sport, sportNamed } from '../../../catalogue/sports.ts'
import { sportOfWord } from '../../files/activity/sports.ts'

/** Names that are slugs of the catalogue need no entry. */
const SPORTS: Readonly<Record<string, string>> = {
  aqua_fitness: 'water_fitness',
  backcountry_skiing: 'cross_country_skiing',
  beach_volley: 'volleyball',
  circuit_training: 'cross_training',
  core: 'core_training',
  crosscountry_running: 'trail_running',
  cross_trainer: 'elliptical',
  fitness_dancing: 'cardio_dance',
  functional_training: 'functional_strength_training',
  indoor_rowing: 'rowing',
  inline_skating_classic: 'inline_skating',
  jogging: 'running',
  mobility_dynamic: 'flexibility',
  mobility_static: 'flexibility',
  nordic_walking: 'walking',
  off_road_driving: 'other',
  pool_swimming: 'swimming',
  road_running: 'running',
  spinning: 'indoor_cycling',
  strength_training: 'traditional_strength_training',
  stretching: 'flexibility',
  treadmill_running: 'treadmill_running',
  triathlon: 'multisport',
  ultrarunning_running: 'trail_running',
  virtual_riding: 'virtual_ride',
}

/** Returns the sport of an exercise; the detailed name counts if it is known. */
export function sportOf(detailed: string | undefined, name: string | undefined): Sport {
  const named = [detailed, name].map(one).find(each => each !== OTHER_SPORT)
  return named ?? OTHER_SPORT
}

function one(name: string | undefined): Sport {
  const key = (name ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const slug = Object.hasOwn(SPORTS, key) ? SPORTS[key] : undefined
  return slug === undefined ? sportOfWord(key) : (sportNamed(slug) ?? OTHER_SPORT)
}

/** The first one that matches the name of a device. */
const DEVICES: readonly { readonly name: RegExp; readonly sourceType: SourceType }[] = [
  { name: /\b(?:H\d+|T31|Verity|OH1)\b/i, sourceType: 'chest_strap' },
  { name: /\b(?:Beat|Flow|app)\b/i, sourceType: 'app' },
]

/** Returns the source type of a device by its name; a watch, if it is unknown. */
export function sourceTypeOf(device: string | undefined): SourceType {
  return DEVICES.find(each => each.name.test(device ?? ''))?.sourceType ?? 'watch'
}
