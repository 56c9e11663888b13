/** Maps live providers' sport names to sports in the catalogue. */
import { OTHER_SPORT, type Sport, sportNamed } from '../../catalogue/sports.ts'
import { sportKey, sportOfWord } from './sports.ts'

/** Names by their sport's slug. Slugs, and the words used in activity files, need no entry. */
const NAMES: Readonly<Record<string, string>> = {
  american_football: 'football_american',
  australian_football: 'football_australian',
  barre: 'barre_class',
  cardio_dance: 'dance_fitness zumba',
  climbing: 'indoor_climbing rock_climbing',
  core_training: 'core core_exercise',
  cross_country_skiing: 'cross_country_ski',
  cross_training: 'bootcamp circuit_training crossfit',
  cycling: 'outdoor_bike unicycling',
  dance: 'ballet breakdancing dancing hip_hop jazz_dance modern_dance',
  disc_sports: 'disc_golf frisbee frisbee_playing_general ultimate ultimate_frisbee',
  downhill_skiing: 'downhill_ski skiing',
  electric_cycling: 'electric_bike',
  elliptical: 'cross_trainer',
  equestrian_sports: 'horseback_riding horse_riding polo',
  flexibility: 'stretching',
  functional_strength_training: 'body_weight bodyweight calisthenics resistance_bands trx',
  gymnastics: 'trampoline',
  high_intensity_interval_training: 'hiit interval_workout tabata_workout',
  hiking: 'backpacking rucking',
  hockey: 'field_hockey ice_hockey',
  indoor_cycling: 'assault_bike spinning stationary_bike',
  inline_skating: 'rollerblading',
  jump_rope: 'jumping_rope',
  martial_arts: 'jiu_jitsu judo karate muay_thai taekwondo',
  mind_and_body: 'meditate meditation',
  mixed_cardio: 'aerobic_workout aerobics cardio_sculpt cardio_workout',
  mountain_biking: 'mountain_bike',
  open_water_swimming: 'swimming_open_water',
  paddle_sports: 'canoeing',
  // Google's spelling
  pickleball: 'pickelball',
  rowing: 'indoor_rowing rowing_machine',
  running: 'incline_run jogging',
  skating_sports: 'roller_skating skateboarding skating speed_skating',
  snow_sports: 'snow_sport snowmobiling',
  social_dance: 'ballroom_dance tango',
  stair_climbing: 'stair_exercise stairclimber',
  stand_up_paddling: 'paddleboarding',
  surfing_sports: 'surfing',
  swimming: 'swimming_pool synchronized_swimming',
  traditional_strength_training: 'free_weights powerlifting weight_machines weight_training weightlifting weights',
  underwater_diving: 'scuba_diving',
  volleyball: 'beach_volleyball volleyball_beach',
  walking: 'incline_walk nordic_walking power_walking stroller_walk treadmill_walk walk_with_weights',
  water_fitness: 'water_aerobics water_jogging',
  water_sports: 'diving foiling snorkeling wakeboarding water_skiing water_sport water_volleyball',
  wheelchair_walk_pace: 'wheelchair',
  yoga: 'yoga_bikram yoga_hatha yoga_power yoga_vinyasa',
}

const namedSport = sportsNamed(NAMES)

/** Returns the sport for a name such as `WEIGHTLIFTING` or `stairExercise`; null if the catalogue does not have it. */
export function sportOfName(name: string): Sport | null {
  return namedSport(sportKey(name)) ?? null
}

/**
 * Returns a function that finds a sport by its name in lower case with underscores: in a table, by slug, or among the words in activity
 * files. The function returns undefined for a sport that the catalogue does not have.
 */
export function sportsNamed(names: Readonly<Record<string, string>>): (key: string) => Sport | undefined {
  const slugs = slugsByName(names)
  return key => {
    const slug = slugs.get(key)
    if (slug !== undefined) return sportNamed(slug)
    const sport = sportOfWord(key)
    return sport === OTHER_SPORT && key !== OTHER_SPORT.slug ? undefined : sport
  }
}

/** Returns a table's slugs by name. The table lists each slug's names in one text. */
export function slugsByName(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).flatMap(([slug, all]) => all.split(' ').map(name => [name, slug] as const)))
}
