/** Maps Polar's sports and devices to sports and source types of the catalogue. */

import type { SourceType } from '../../../catalogue/source-types.ts'
import { OTHER_SPORT, type Sport, sportNamed } from '../../../catalogue/sports.ts'
import { sportOfWord } from '../../shared/sports.ts'

/** Sports by Polar's name in lower case. Names that are slugs of the catalogue need no entry. */
const SPORTS: Readonly<Record<string, string>> = {
  aerobics: 'mixed_cardio',
  aqua_fitness: 'water_fitness',
  aquatics: 'water_fitness',
  backcountry_skiing: 'cross_country_skiing',
  ballet_dancing: 'dance',
  ballroom_dancing: 'social_dance',
  beach_tennis: 'tennis',
  beach_volley: 'volleyball',
  beach_volleyball: 'volleyball',
  biathlon: 'cross_country_skiing',
  body_and_mind: 'mind_and_body',
  bootcamp: 'cross_training',
  calisthenics: 'functional_strength_training',
  circuit_training: 'cross_training',
  core: 'core_training',
  cross_country_running: 'trail_running',
  crosscountry_running: 'trail_running',
  cross_trainer: 'elliptical',
  dancing: 'dance',
  duathlon: 'multisport',
  duathlon_cycling: 'cycling',
  duathlon_running: 'running',
  e_bike: 'electric_cycling',
  field_hockey: 'hockey',
  finnish_baseball: 'baseball',
  fitness_boxing: 'boxing',
  fitness_dancing: 'cardio_dance',
  fitness_martial_arts: 'martial_arts',
  fitness_racing: 'cross_training',
  fitness_step: 'step_training',
  floorball: 'hockey',
  free_multisport: 'multisport',
  frisbeegolf: 'disc_sports',
  functional_training: 'functional_strength_training',
  futsal: 'soccer',
  gravel: 'gravel_cycling',
  gymnastick: 'gymnastics',
  hiit: 'high_intensity_interval_training',
  ice_hockey: 'hockey',
  indoor_rowing: 'rowing',
  inline_skating_classic: 'inline_skating',
  jazz_dancing: 'dance',
  jogging: 'running',
  judo_martial_arts: 'martial_arts',
  kettlebell: 'functional_strength_training',
  kickboxing_martial_arts: 'kickboxing',
  latin_dancing: 'social_dance',
  les_mills_barre: 'barre',
  les_mills_bodyattack: 'mixed_cardio',
  les_mills_bodybalance: 'mind_and_body',
  les_mills_bodycombat: 'martial_arts',
  les_mills_bodyjam: 'cardio_dance',
  les_mills_bodypump: 'traditional_strength_training',
  les_mills_bodystep: 'step_training',
  les_mills_cxworks: 'core_training',
  les_mills_grit_athletic: 'high_intensity_interval_training',
  les_mills_grit_cardio: 'high_intensity_interval_training',
  les_mills_grit_strength: 'high_intensity_interval_training',
  les_mills_rpm: 'indoor_cycling',
  les_mills_shbam: 'cardio_dance',
  les_mills_sprint: 'indoor_cycling',
  les_mills_tone: 'mixed_cardio',
  les_mills_trip: 'indoor_cycling',
  mobility_dynamic: 'flexibility',
  mobility_static: 'flexibility',
  modern_dancing: 'dance',
  nordic_walking: 'walking',
  offroadduathlon: 'multisport',
  offroadduathlon_cycling: 'mountain_biking',
  offroadduathlon_running: 'trail_running',
  offroadtriathlon: 'multisport',
  offroadtriathlon_cycling: 'mountain_biking',
  offroadtriathlon_running: 'trail_running',
  offroadtriathlon_swimming: 'open_water_swimming',
  orienteering: 'trail_running',
  orienteering_mtb: 'mountain_biking',
  orienteering_ski: 'cross_country_skiing',
  other_indoor: 'other',
  other_outdoor: 'other',
  parasports_hand_cycling: 'hand_cycling',
  parasports_sled_hockey: 'hockey',
  parasports_water_skiing: 'water_sports',
  parasports_wheelchair: 'wheelchair_run_pace',
  parasports_wheelchair_basketball: 'basketball',
  parasports_wheelchair_tennis: 'tennis',
  pool_swimming: 'swimming',
  riding: 'equestrian_sports',
  ringette: 'hockey',
  road_running: 'running',
  roller_blading: 'skating_sports',
  roller_skiing_classic: 'cross_country_skiing',
  roller_skiing_freestyle: 'cross_country_skiing',
  rucking: 'hiking',
  show_dancing: 'dance',
  skateboarding: 'skating_sports',
  skating: 'skating_sports',
  snowshoe_trekking: 'snowshoeing',
  spinning: 'indoor_cycling',
  stair_workout: 'stair_climbing',
  street_dancing: 'dance',
  strength_training: 'traditional_strength_training',
  stretching: 'flexibility',
  sup: 'stand_up_paddling',
  taekwondo_martial_arts: 'martial_arts',
  telemark_skiing: 'downhill_skiing',
  track_and_field_running: 'track_and_field',
  triathlon: 'multisport',
  triathlon_cycling: 'cycling',
  triathlon_running: 'running',
  triathlon_swimming: 'open_water_swimming',
  trotting: 'equestrian_sports',
  ultimate: 'disc_sports',
  ultrarunning_running: 'trail_running',
  verticalsports_outclimbing: 'climbing',
  verticalsports_wallclimbing: 'climbing',
  virtual_riding: 'virtual_ride',
  water_exercise: 'water_fitness',
  water_running: 'water_fitness',
  watersports_canoeing: 'paddle_sports',
  watersports_kayaking: 'kayaking',
  watersports_kitesurfing: 'kitesurfing',
  watersports_sailing: 'sailing',
  watersports_surfing: 'surfing_sports',
  watersports_wakeboarding: 'water_sports',
  watersports_waterski: 'water_sports',
  watersports_windsurfing: 'windsurfing',
  xc_skiing_classic: 'cross_country_skiing',
  xc_skiing_freestyle: 'cross_country_skiing',
}

/** Returns the sport of an exercise, the detailed name first; undefined if the catalogue has none for either name. */
export function sportOf(detailed: string | undefined, name: string | undefined): Sport | undefined {
  const named = [detailed, name].flatMap(each => (each === undefined ? [] : [one(each)]))
  // Polar also calls a sport OTHER that only the detailed name tells
  return named.find(each => each !== undefined && each !== OTHER_SPORT) ?? named[0]
}

function one(name: string): Sport | undefined {
  const key = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const slug = Object.hasOwn(SPORTS, key) ? SPORTS[key] : undefined
  const sport = slug === undefined ? sportOfWord(key) : sportNamed(slug)
  return sport === OTHER_SPORT && slug === undefined && key !== OTHER_SPORT.slug ? undefined : sport
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
