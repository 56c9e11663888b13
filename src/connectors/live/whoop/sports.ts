/** Maps WHOOP's sport names to sports in the catalogue. */
import type { Sport } from '../../../catalogue/sports.ts'
import { sportsNamed } from '../../shared/sport-names.ts'

/** Names by slug. A name that differs from a catalogue slug only in the characters between words needs no entry. */
const SPORTS: Readonly<Record<string, string>> = {
  american_football: 'football',
  barre: 'barre3',
  boxing: 'box_fitness',
  climbing: 'rock_climbing',
  cross_country_skiing: 'cross_country_ski',
  disc_sports: 'disc_golf ultimate',
  downhill_skiing: 'skiing',
  equestrian_sports: 'horseback_riding polo',
  flexibility: 'stretching',
  functional_strength_training: 'functional_fitness',
  high_intensity_interval_training: 'barry_s f45_training hiit',
  hiking: 'hiking_rucking',
  hockey: 'field_hockey ice_hockey',
  indoor_cycling: 'assault_bike spin',
  jump_rope: 'jumping_rope',
  kitesurfing: 'kite_boarding',
  martial_arts: 'jiu_jitsu',
  mind_and_body: 'meditation',
  multisport: 'duathlon triathlon',
  other: 'activity',
  running: 'stroller_jogging',
  skating_sports: 'skateboarding',
  stair_climbing: 'climber stairmaster',
  stairs: 'stadium_steps',
  stand_up_paddling: 'paddleboarding',
  surfing_sports: 'surfing',
  tennis: 'paddle_tennis',
  track_and_field: 'track_field',
  traditional_strength_training: 'powerlifting strength_trainer weightlifting weightlifting_msk',
  underwater_diving: 'diving',
  walking: 'dog_walking stroller_walking',
  water_sports: 'wakeboarding water_skiing',
  wheelchair_walk_pace: 'wheelchair_pushing',
  yoga: 'hot_yoga',
}

const namedSport = sportsNamed(SPORTS)

/** Returns the sport for a name such as `functional-fitness` or `Hiking/Rucking`; undefined if the catalogue has none. */
export function readSport(name: string): Sport | undefined {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, '_')
  return namedSport(words.replace(/^_|_$/g, ''))
}
