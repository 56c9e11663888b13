/** Maps WHOOP's names of sports to sports of the catalogue. */
import { OTHER_SPORT, type Sport, sportNamed } from '../../../catalogue/sports.ts'
import { sportOfWord } from '../../files/activity/sports.ts'

/** Names that are slugs of the catalogue, apart from the character between two words, need no entry. */
const SPORTS: Readonly<Record<string, string>> = {
  assault_bike: 'indoor_cycling',
  box_fitness: 'boxing',
  cross_country_ski: 'cross_country_skiing',
  disc_golf: 'disc_sports',
  duathlon: 'multisport',
  f45_training: 'high_intensity_interval_training',
  field_hockey: 'hockey',
  football: 'american_football',
  functional_fitness: 'functional_strength_training',
  hiit: 'high_intensity_interval_training',
  hiking_rucking: 'hiking',
  horseback_riding: 'equestrian_sports',
  ice_hockey: 'hockey',
  jiu_jitsu: 'martial_arts',
  jumping_rope: 'jump_rope',
  meditation: 'mind_and_body',
  paddleboarding: 'stand_up_paddling',
  powerlifting: 'traditional_strength_training',
  rock_climbing: 'climbing',
  skiing: 'downhill_skiing',
  spin: 'indoor_cycling',
  stairmaster: 'stair_climbing',
  stretching: 'flexibility',
  surfing: 'surfing_sports',
  track_field: 'track_and_field',
  triathlon: 'multisport',
  ultimate: 'disc_sports',
  weightlifting: 'traditional_strength_training',
}

/** Returns the sport of a name such as `functional-fitness`; `Other` if it is unknown. */
export function sportOf(name: string): Sport {
  const key = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const slug = Object.hasOwn(SPORTS, key) ? SPORTS[key] : undefined
  return slug === undefined ? sportOfWord(name) : (sportNamed(slug) ?? OTHER_SPORT)
}
