/** Maps Polar's sports and devices to sports and source types in the catalogue. */

import type { SourceType } from '../../../catalogue/source-types.ts'
import { OTHER_SPORT, type Sport } from '../../../catalogue/sports.ts'
import { sportsNamed } from '../../shared/sport-names.ts'

/** Polar's names in lower case, by slug. Names that are catalogue slugs need no entry. */
const SPORTS: Readonly<Record<string, string>> = {
  barre: 'les_mills_barre',
  baseball: 'finnish_baseball',
  basketball: 'parasports_wheelchair_basketball',
  boxing: 'fitness_boxing',
  cardio_dance: 'fitness_dancing les_mills_bodyjam les_mills_shbam',
  climbing: 'verticalsports_outclimbing verticalsports_wallclimbing',
  core_training: 'core les_mills_cxworks',
  cross_country_skiing:
    'backcountry_skiing biathlon orienteering_ski roller_skiing_classic roller_skiing_freestyle ' +
    'xc_skiing_classic xc_skiing_freestyle',
  cross_training: 'bootcamp circuit_training fitness_racing',
  cycling: 'duathlon_cycling triathlon_cycling',
  dance: 'ballet_dancing dancing jazz_dancing modern_dancing show_dancing street_dancing',
  disc_sports: 'frisbeegolf ultimate',
  downhill_skiing: 'telemark_skiing',
  electric_cycling: 'e_bike',
  elliptical: 'cross_trainer',
  equestrian_sports: 'riding trotting',
  flexibility: 'mobility_dynamic mobility_static stretching',
  functional_strength_training: 'calisthenics functional_training kettlebell',
  gravel_cycling: 'gravel',
  gymnastics: 'gymnastick',
  hand_cycling: 'parasports_hand_cycling',
  high_intensity_interval_training: 'hiit les_mills_grit_athletic les_mills_grit_cardio les_mills_grit_strength',
  hiking: 'rucking',
  hockey: 'field_hockey floorball ice_hockey parasports_sled_hockey ringette',
  indoor_cycling: 'les_mills_rpm les_mills_sprint les_mills_trip spinning',
  inline_skating: 'inline_skating_classic',
  kayaking: 'watersports_kayaking',
  kickboxing: 'kickboxing_martial_arts',
  kitesurfing: 'watersports_kitesurfing',
  martial_arts: 'fitness_martial_arts judo_martial_arts les_mills_bodycombat taekwondo_martial_arts',
  mind_and_body: 'body_and_mind les_mills_bodybalance',
  mixed_cardio: 'aerobics les_mills_bodyattack les_mills_tone',
  mountain_biking: 'offroadduathlon_cycling offroadtriathlon_cycling orienteering_mtb',
  multisport: 'duathlon free_multisport offroadduathlon offroadtriathlon triathlon',
  open_water_swimming: 'offroadtriathlon_swimming triathlon_swimming',
  other: 'other_indoor other_outdoor',
  paddle_sports: 'watersports_canoeing',
  rowing: 'indoor_rowing',
  running: 'duathlon_running jogging road_running triathlon_running',
  sailing: 'watersports_sailing',
  skating_sports: 'roller_blading skateboarding skating',
  snowshoeing: 'snowshoe_trekking',
  soccer: 'futsal',
  social_dance: 'ballroom_dancing latin_dancing',
  stair_climbing: 'stair_workout',
  stand_up_paddling: 'sup',
  step_training: 'fitness_step les_mills_bodystep',
  surfing_sports: 'watersports_surfing',
  swimming: 'pool_swimming',
  tennis: 'beach_tennis parasports_wheelchair_tennis',
  track_and_field: 'track_and_field_running',
  traditional_strength_training: 'les_mills_bodypump strength_training',
  trail_running:
    'cross_country_running crosscountry_running offroadduathlon_running offroadtriathlon_running ' +
    'orienteering ultrarunning_running',
  virtual_ride: 'virtual_riding',
  volleyball: 'beach_volley beach_volleyball',
  walking: 'nordic_walking',
  water_fitness: 'aqua_fitness aquatics water_exercise water_running',
  water_sports: 'parasports_water_skiing watersports_wakeboarding watersports_waterski',
  wheelchair_run_pace: 'parasports_wheelchair',
  windsurfing: 'watersports_windsurfing',
}

const namedSport = sportsNamed(SPORTS)

/** Returns an exercise's sport, by the detailed name or else by the general one; undefined if the catalogue has no sport for either. */
export function readSport(detailed: string | undefined, name: string | undefined): Sport | undefined {
  const named = [detailed, name].flatMap(each => (each === undefined ? [] : [one(each)]))
  // Polar also uses OTHER for a sport that only the detailed name identifies
  return named.find(each => each !== undefined && each !== OTHER_SPORT) ?? named[0]
}

function one(name: string): Sport | undefined {
  const words = name.trim().toLowerCase()
  return namedSport(words.replace(/[\s-]+/g, '_'))
}

/** Device names and their source types. The first match is used. */
const DEVICES: readonly { readonly name: RegExp; readonly sourceType: SourceType }[] = [
  { name: /\b(?:H\d+|T31|Verity|OH1)\b/i, sourceType: 'chest_strap' },
  { name: /\b(?:Beat|Flow|app)\b/i, sourceType: 'app' },
]

/** Returns a device's source type by its name; `watch` if the name is unknown. */
export function guessSourceType(device: string | undefined): SourceType {
  return DEVICES.find(each => each.name.test(device ?? ''))?.sourceType ?? 'watch'
}
