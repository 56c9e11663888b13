/** Maps the categories of workouts of Withings to sports of the catalogue. */
import { OTHER_SPORT, type Sport, sportNamed } from '../../../catalogue/sports.ts'

/** Slugs by the number of the category. Categories without an entry are "other" and are counted. */
const SPORTS: Readonly<Record<number, string>> = {
  1: 'walking',
  2: 'running',
  3: 'hiking',
  4: 'skating_sports',
  // BMX
  5: 'cycling',
  6: 'cycling',
  7: 'swimming',
  8: 'surfing_sports',
  9: 'kitesurfing',
  10: 'windsurfing',
  // bodyboard
  11: 'surfing_sports',
  12: 'tennis',
  13: 'table_tennis',
  14: 'squash',
  15: 'badminton',
  16: 'traditional_strength_training',
  17: 'functional_strength_training',
  18: 'elliptical',
  19: 'pilates',
  20: 'basketball',
  21: 'soccer',
  22: 'american_football',
  23: 'rugby',
  24: 'volleyball',
  25: 'water_polo',
  26: 'equestrian_sports',
  27: 'golf',
  28: 'yoga',
  29: 'dance',
  30: 'boxing',
  31: 'fencing',
  32: 'wrestling',
  33: 'martial_arts',
  34: 'downhill_skiing',
  35: 'snowboarding',
  36: 'other',
  187: 'rowing',
  188: 'cardio_dance',
  191: 'baseball',
  192: 'handball',
  193: 'hockey',
  194: 'hockey',
  195: 'climbing',
  196: 'ice_skating',
  272: 'multisport',
  306: 'walking',
  307: 'treadmill_running',
  308: 'indoor_cycling',
  455: 'stand_up_paddling',
  456: 'padel',
  // beach volleyball
  490: 'volleyball',
  // stair stepper
  491: 'stair_climbing',
  // skateboarding
  492: 'skating_sports',
  494: 'kayaking',
  // canoeing
  495: 'paddle_sports',
  496: 'sailing',
  497: 'fishing',
  498: 'trail_running',
  499: 'snowshoeing',
  501: 'archery',
  // scuba diving
  502: 'underwater_diving',
  // baseball training
  503: 'baseball',
  // biathlon
  504: 'cross_country_skiing',
  // frisbee
  508: 'disc_sports',
  510: 'pickleball',
  // ultimate
  513: 'disc_sports',
  515: 'wheelchair_run_pace',
  516: 'wheelchair_walk_pace',
  517: 'track_and_field',
  // track cycling
  518: 'cycling',
  // pentathlon and triathlon
  519: 'multisport',
  521: 'multisport',
  // diving from a board: scuba diving has its own category
  522: 'water_sports',
  523: 'mountain_biking',
  524: 'gravel_cycling',
  525: 'electric_cycling',
  // electric mountain biking
  526: 'electric_cycling',
  527: 'hand_cycling',
  // velomobile
  528: 'cycling',
  // backcountry, Nordic and roller skiing
  529: 'cross_country_skiing',
  530: 'cross_country_skiing',
  531: 'cross_country_skiing',
  532: 'racquetball',
  // hip hop
  534: 'dance',
  // Muay Thai, taekwondo, judo
  535: 'martial_arts',
  536: 'martial_arts',
  537: 'martial_arts',
  // trampoline
  538: 'gymnastics',
  // seated strength and seated cardio
  540: 'traditional_strength_training',
  541: 'mixed_cardio',
  // with a walker or a cane
  542: 'walking',
  543: 'walking',
  // breaking
  544: 'dance',
  // CrossFit
  546: 'cross_training',
  // spin class
  547: 'indoor_cycling',
  548: 'cricket',
  // flamenco
  549: 'dance',
  550: 'high_intensity_interval_training',
  // meditation
  551: 'mind_and_body',
  // stretching
  552: 'flexibility',
  557: 'lacrosse',
  // with a dog
  559: 'walking',
  // breathing exercises
  560: 'mind_and_body',
  // with a stroller
  562: 'walking',
  564: 'bowling',
  // Nordic walking
  566: 'walking',
  // sumo
  567: 'wrestling',
}

/** Returns the sport of a category; undefined if the catalogue has none, or if the category is unknown. */
export function sportOf(category: number | undefined): Sport | undefined {
  const slug = category === undefined ? undefined : SPORTS[category]
  return slug === undefined ? undefined : (sportNamed(slug) ?? OTHER_SPORT)
}
