/** Maps WHOOP's names of sports to sports of the catalogue. */
import { OTHER_SPORT, type Sport, sportNamed } from '../../../catalogue/sports.ts'
import { sportOfWord } from '../../shared/sports.ts'

/** Names that are slugs of the catalogue, apart from the characters between two words, need no entry. */
const SPORTS: Readonly<Record<string, string>> = {
  activity: 'other',
  assault_bike: 'indoor_cycling',
  barre3: 'barre',
  barry_s: 'high_intensity_interval_training',
  box_fitness: 'boxing',
  climber: 'stair_climbing',
  cross_country_ski: 'cross_country_skiing',
  disc_golf: 'disc_sports',
  diving: 'underwater_diving',
  dog_walking: 'walking',
  duathlon: 'multisport',
  f45_training: 'high_intensity_interval_training',
  field_hockey: 'hockey',
  football: 'american_football',
  functional_fitness: 'functional_strength_training',
  hiit: 'high_intensity_interval_training',
  hiking_rucking: 'hiking',
  horseback_riding: 'equestrian_sports',
  hot_yoga: 'yoga',
  ice_hockey: 'hockey',
  jiu_jitsu: 'martial_arts',
  jumping_rope: 'jump_rope',
  kite_boarding: 'kitesurfing',
  meditation: 'mind_and_body',
  paddle_tennis: 'tennis',
  paddleboarding: 'stand_up_paddling',
  polo: 'equestrian_sports',
  powerlifting: 'traditional_strength_training',
  rock_climbing: 'climbing',
  skateboarding: 'skating_sports',
  skiing: 'downhill_skiing',
  spin: 'indoor_cycling',
  stadium_steps: 'stairs',
  stairmaster: 'stair_climbing',
  strength_trainer: 'traditional_strength_training',
  stretching: 'flexibility',
  stroller_jogging: 'running',
  stroller_walking: 'walking',
  surfing: 'surfing_sports',
  track_field: 'track_and_field',
  triathlon: 'multisport',
  ultimate: 'disc_sports',
  wakeboarding: 'water_sports',
  water_skiing: 'water_sports',
  weightlifting: 'traditional_strength_training',
  weightlifting_msk: 'traditional_strength_training',
  wheelchair_pushing: 'wheelchair_walk_pace',
}

/** Returns the sport of a name such as `functional-fitness` or `Hiking/Rucking`; undefined if the catalogue has none. */
export function sportOf(name: string): Sport | undefined {
  const key = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
  const slug = Object.hasOwn(SPORTS, key) ? SPORTS[key] : undefined
  const sport = slug === undefined ? sportOfWord(key) : sportNamed(slug)
  return sport === OTHER_SPORT && slug === undefined && key !== OTHER_SPORT.slug ? undefined : sport
}
