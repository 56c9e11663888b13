/** Maps Withings' workout categories to sports in the catalogue. */
import { OTHER_SPORT, type Sport, sportNamed } from '../../../catalogue/sports.ts'
import { slugsByName } from '../../shared/sport-names.ts'

/** Category numbers by slug. Categories without an entry become "other" and are counted. */
const SPORTS: Readonly<Record<string, string>> = {
  american_football: '22',
  archery: '501',
  badminton: '15',
  // 503 baseball training
  baseball: '191 503',
  basketball: '20',
  bowling: '564',
  boxing: '30',
  cardio_dance: '188',
  climbing: '195',
  cricket: '548',
  // 504 biathlon, 529 backcountry, Nordic and roller skiing
  cross_country_skiing: '504 529 530 531',
  // 546 CrossFit
  cross_training: '546',
  // 5 BMX, 518 track cycling, 528 velomobile
  cycling: '5 6 518 528',
  // 534 hip hop, 544 breaking, 549 flamenco
  dance: '29 534 544 549',
  // 508 frisbee, 513 ultimate
  disc_sports: '508 513',
  downhill_skiing: '34',
  // 526 electric mountain biking
  electric_cycling: '525 526',
  elliptical: '18',
  equestrian_sports: '26',
  fencing: '31',
  fishing: '497',
  // 552 stretching
  flexibility: '552',
  functional_strength_training: '17',
  golf: '27',
  gravel_cycling: '524',
  // 538 trampoline
  gymnastics: '538',
  hand_cycling: '527',
  handball: '192',
  high_intensity_interval_training: '550',
  hiking: '3',
  hockey: '193 194',
  ice_skating: '196',
  // 547 spin class
  indoor_cycling: '308 547',
  kayaking: '494',
  kitesurfing: '9',
  lacrosse: '557',
  // 535 Muay Thai, taekwondo, judo
  martial_arts: '33 535 536 537',
  // 551 meditation, 560 breathing exercises
  mind_and_body: '551 560',
  mixed_cardio: '541',
  mountain_biking: '523',
  // 519 pentathlon and triathlon
  multisport: '272 519 521',
  other: '36',
  // 495 canoeing
  paddle_sports: '495',
  padel: '456',
  pickleball: '510',
  pilates: '19',
  racquetball: '532',
  rowing: '187',
  rugby: '23',
  running: '2',
  sailing: '496',
  // 492 skateboarding
  skating_sports: '4 492',
  snowboarding: '35',
  snowshoeing: '499',
  soccer: '21',
  squash: '14',
  // 491 stair stepper
  stair_climbing: '491',
  stand_up_paddling: '455',
  // 11 bodyboard
  surfing_sports: '8 11',
  swimming: '7',
  table_tennis: '13',
  tennis: '12',
  track_and_field: '517',
  // 540 seated strength and seated cardio
  traditional_strength_training: '16 540',
  trail_running: '498',
  treadmill_running: '307',
  // 502 scuba diving
  underwater_diving: '502',
  // 490 beach volleyball
  volleyball: '24 490',
  // 542 with a walker or a cane, 559 with a dog, 562 with a stroller, 566 Nordic walking
  walking: '1 306 542 543 559 562 566',
  water_polo: '25',
  // 522 diving from a board; scuba diving has its own category
  water_sports: '522',
  wheelchair_run_pace: '515',
  wheelchair_walk_pace: '516',
  windsurfing: '10',
  // 567 sumo
  wrestling: '32 567',
  yoga: '28',
}

const slugs = slugsByName(SPORTS)

/** Returns a category's sport; undefined if the catalogue has none or if the category is unknown. */
export function findSport(category: number | undefined): Sport | undefined {
  const slug = slugs.get(String(category))
  return slug === undefined ? undefined : (sportNamed(slug) ?? OTHER_SPORT)
}
