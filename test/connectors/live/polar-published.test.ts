/** The mapping of records from Polar's AccessLink reference: its sports, and its examples of days, nights and tests. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { polarConnector } from '../../../src/connectors/live/polar/connector.ts'
import { ownedId } from '../../../src/core/ids.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type FakePolar, openPolar } from '../../providers/polar/polar.ts'
import { emptyPolarPerson, type PolarPerson } from '../../providers/polar/polar-data.ts'
import { findSummary, personSession, pull, USER } from './pulled.ts'

const NOW = Date.parse('2023-10-21T12:00:00Z')
const WINDOW = { from: NOW - 10 * 86_400_000, to: NOW }

let fake: FakePolar
let person: PolarPerson

beforeAll(async () => {
  fake = await openPolar({ now: () => NOW, perQuarter: 100_000 })
  atEndOfFile(() => fake.close())
})

beforeEach(() => {
  person = emptyPolarPerson(7)
  fake.people.set('person-1', person)
})

const pulled = (collection: string, asked = {}) =>
  pull(polarConnector, personSession(fake, polarConnector), { collection, window: WINDOW, ...asked })

/** AccessLink's detailed sport names, by the expected sport. */
const SPORTS: Readonly<Record<string, string>> = {
  american_football: 'AMERICAN_FOOTBALL',
  badminton: 'BADMINTON',
  barre: 'LES_MILLS_BARRE',
  baseball: 'BASEBALL FINNISH_BASEBALL',
  basketball: 'BASKETBALL PARASPORTS_WHEELCHAIR_BASKETBALL',
  boxing: 'BOXING FITNESS_BOXING',
  cardio_dance: 'FITNESS_DANCING LES_MILLS_BODYJAM LES_MILLS_SHBAM',
  climbing: 'CLIMBING VERTICALSPORTS_WALLCLIMBING VERTICALSPORTS_OUTCLIMBING',
  core_training: 'CORE LES_MILLS_CXWORKS',
  cricket: 'CRICKET',
  cross_country_skiing:
    'CROSS-COUNTRY_SKIING BACKCOUNTRY_SKIING BIATHLON ORIENTEERING_SKI ROLLER_SKIING_CLASSIC ROLLER_SKIING_FREESTYLE ' +
    'XC_SKIING_CLASSIC XC_SKIING_FREESTYLE',
  cross_training: 'BOOTCAMP CIRCUIT_TRAINING FITNESS_RACING',
  curling: 'CURLING',
  cycling: 'CYCLING DUATHLON_CYCLING ROAD_BIKING TRIATHLON_CYCLING',
  dance: 'BALLET_DANCING DANCING JAZZ_DANCING MODERN_DANCING SHOW_DANCING STREET_DANCING',
  disc_sports: 'FRISBEEGOLF ULTIMATE',
  downhill_skiing: 'DOWNHILL_SKIING TELEMARK_SKIING',
  electric_cycling: 'E_BIKE',
  elliptical: 'CROSS_TRAINER',
  equestrian_sports: 'RIDING TROTTING',
  flexibility: 'MOBILITY_DYNAMIC MOBILITY_STATIC STRETCHING',
  functional_strength_training: 'CALISTHENICS FUNCTIONAL_TRAINING KETTLEBELL',
  golf: 'GOLF',
  gravel_cycling: 'GRAVEL',
  gymnastics: 'GYMNASTICK',
  hand_cycling: 'PARASPORTS_HAND_CYCLING',
  handball: 'HANDBALL',
  high_intensity_interval_training: 'HIIT LES_MILLS_GRIT_ATHLETIC LES_MILLS_GRIT_CARDIO LES_MILLS_GRIT_STRENGTH',
  hiking: 'HIKING RUCKING',
  hockey: 'FIELD_HOCKEY FLOORBALL ICE_HOCKEY PARASPORTS_SLED_HOCKEY RINGETTE',
  ice_skating: 'ICE_SKATING',
  indoor_cycling: 'INDOOR_CYCLING LES_MILLS_RPM LES_MILLS_SPRINT LES_MILLS_TRIP SPINNING',
  inline_skating: 'INLINE_SKATING',
  jump_rope: 'JUMP_ROPE',
  kayaking: 'WATERSPORTS_KAYAKING',
  kickboxing: 'KICKBOXING_MARTIAL_ARTS',
  kitesurfing: 'WATERSPORTS_KITESURFING',
  martial_arts: 'FITNESS_MARTIAL_ARTS JUDO_MARTIAL_ARTS LES_MILLS_BODYCOMBAT TAEKWONDO_MARTIAL_ARTS',
  mind_and_body: 'BODY_AND_MIND LES_MILLS_BODYBALANCE',
  mixed_cardio: 'AEROBICS LES_MILLS_BODYATTACK LES_MILLS_TONE',
  mountain_biking: 'MOUNTAIN_BIKING OFFROADDUATHLON_CYCLING OFFROADTRIATHLON_CYCLING ORIENTEERING_MTB',
  multisport: 'DUATHLON FREE_MULTISPORT OFFROADDUATHLON OFFROADTRIATHLON TRIATHLON',
  open_water_swimming: 'OFFROADTRIATHLON_SWIMMING OPEN_WATER_SWIMMING TRIATHLON_SWIMMING',
  paddle_sports: 'WATERSPORTS_CANOEING',
  padel: 'PADEL',
  pickleball: 'PICKLEBALL',
  pilates: 'PILATES',
  rowing: 'INDOOR_ROWING ROWING',
  rugby: 'RUGBY',
  running: 'DUATHLON_RUNNING JOGGING ROAD_RUNNING RUNNING TRIATHLON_RUNNING',
  sailing: 'WATERSPORTS_SAILING',
  skating_sports: 'ROLLER_BLADING SKATEBOARDING SKATING',
  snowboarding: 'SNOWBOARDING',
  snowshoeing: 'SNOWSHOE_TREKKING',
  soccer: 'FUTSAL SOCCER',
  social_dance: 'BALLROOM_DANCING LATIN_DANCING',
  squash: 'SQUASH',
  stair_climbing: 'STAIR_WORKOUT',
  stand_up_paddling: 'SUP',
  step_training: 'FITNESS_STEP LES_MILLS_BODYSTEP',
  surfing_sports: 'WATERSPORTS_SURFING',
  swimming: 'POOL_SWIMMING SWIMMING',
  table_tennis: 'TABLE_TENNIS',
  tennis: 'BEACH_TENNIS PARASPORTS_WHEELCHAIR_TENNIS TENNIS',
  track_and_field: 'TRACK_AND_FIELD_RUNNING',
  traditional_strength_training: 'LES_MILLS_BODYPUMP STRENGTH_TRAINING',
  trail_running:
    'CROSS_COUNTRY_RUNNING OFFROADDUATHLON_RUNNING OFFROADTRIATHLON_RUNNING ORIENTEERING TRAIL_RUNNING ULTRARUNNING_RUNNING',
  treadmill_running: 'TREADMILL_RUNNING',
  volleyball: 'BEACH_VOLLEYBALL VOLLEYBALL',
  walking: 'NORDIC_WALKING WALKING',
  water_fitness: 'AQUATICS WATER_EXERCISE WATER_RUNNING',
  water_sports: 'PARASPORTS_WATER_SKIING WATERSPORTS_WAKEBOARDING WATERSPORTS_WATERSKI',
  wheelchair_run_pace: 'PARASPORTS_WHEELCHAIR',
  windsurfing: 'WATERSPORTS_WINDSURFING',
  yoga: 'YOGA',
  // Polar's own "other"
  other: 'OTHER OTHER_INDOOR OTHER_OUTDOOR',
}
/** Names without a similar sport in the catalogue. */
const WITHOUT_SPORT =
  'AGILITY ESPORTS GROUP_EXERCISE KICKBIKE MOTORSPORTS_CAR_RACING MOTORSPORTS_ENDURO MOTORSPORTS_HARD_ENDURO ' +
  'MOTORSPORTS_MOTOCROSS MOTORSPORTS_ROADRACING MOTORSPORTS_SNOCROSS OBSTACLE_COURSE_RACING SHOOTING_SPORT_INDOOR ' +
  'SHOOTING_SPORT_OUTDOOR SKIERG'

describe('Polar sports', () => {
  it('are mapped to the catalogue, and the ones mapped to Other are counted', async () => {
    const others = WITHOUT_SPORT.split(' ')
    const listed = Object.entries(SPORTS).flatMap(([slug, names]) => names.split(' ').map(name => [name, slug]))
    const expected = [...listed, ...others.map(name => [name, 'other'])]
    person.exercises = expected.map(([detailed], i) => ({
      id: `e${i}`,
      upload_time: '2023-10-20T16:00:00.000Z',
      device: 'Polar M400',
      start_time: '2023-10-20T10:40:02',
      start_time_utc_offset: 180,
      duration: 'PT2H44M',
      sport: 'OTHER',
      detailed_sport_info: detailed,
    }))
    const { summaries, unmapped } = await pulled('exercises')
    const found = summaries.map(({ document }) => (document['sport'] as { readonly slug: string }).slug)
    expect(expected.map(([name], i) => [name, found[i]])).toEqual(expected)
    expect(unmapped).toEqual({ 'exercise.detailed_sport_info': others.length })
  })
})

describe('a Polar day', () => {
  const zone = (name: string, timestamp: string) => ({ zone: name, timestamp })
  const DAY = {
    date: '2023-10-20',
    start_time: '2023-10-20T00:00:00',
    end_time: '2023-10-20T23:59:59',
    calories: 2500,
    active_calories: 1500,
    steps: 8823,
    samples: {
      date: '2023-10-20',
      activity_zones: {
        samples: [
          zone('SLEEP', '2023-10-20T00:00:00'),
          zone('LIGHT', '2023-10-20T07:08:30'),
          zone('SEDENTARY', '2023-10-20T08:00:00'),
          zone('VIGOROUS', '2023-10-20T18:00:00'),
          zone('MODERATE', '2023-10-20T18:20:30'),
          zone('LIGHT', '2023-10-20T23:29:59'),
          zone('NEW', '2023-10-20T23:00:00'),
        ],
      },
    },
  }

  it('has minutes of each intensity from its zones', async () => {
    person.activities = [DAY]
    const { records, unmapped } = await pulled('activities')
    // 51.5 min in the morning and 30 min at the end; 20.5 min; 5 h 9 min 29 s
    const { document } = findSummary(records[0], 'activity')
    expect(document).toMatchObject({ low: 81.5, high: 20.5, heart_rate: null })
    expect(document['medium']).toBeCloseTo(309 + 29 / 60, 6)
    expect(unmapped).toEqual({ 'activity.samples.activity_zones': 1 })
    const asked = fake.requests.find(each => each.path === '/v3/users/activities')
    expect(asked?.query.get('activity_zones')).toBe('true')
  })

  it('has no minutes without zones', async () => {
    person.activities = [{ ...DAY, samples: { date: DAY.date } }]
    const { records } = await pulled('activities')
    expect(findSummary(records[0], 'activity').document).toMatchObject({ low: null, medium: null, high: null })
  })

  it('has the person’s resting heart rate at the time when it was set', async () => {
    const dates = ['2023-10-17', '2023-10-18', '2023-10-19']
    person.activities = dates.map(date => ({ date, start_time: `${date}T00:00:00`, end_time: `${date}T23:59:59` }))
    person.physicalInfo = { weight: 70.5, modified: '2023-10-18T12:00:00Z', gender: 'MALE', resting_heart_rate: 60 }
    const { records } = await pulled('activities')
    const none = { avg_bpm: null, min_bpm: null, max_bpm: null, avg_walking_bpm: null }
    expect(records.map(each => findSummary(each, 'activity').document['heart_rate'])).toEqual([
      null,
      { ...none, resting_bpm: 60 },
      { ...none, resting_bpm: 60 },
    ])
    person.physicalInfo = { ...person.physicalInfo, resting_heart_rate: 58 }
    const later = (await pulled('activities')).records
    expect(later.map((each, i) => each.version === records[i]?.version)).toEqual([true, false, false])
  })
})

describe('a Polar night', () => {
  const NIGHT = {
    date: '2023-10-20',
    sleep_start_time: '2023-10-20T00:39:07+03:00',
    sleep_end_time: '2023-10-20T09:19:37+03:00',
    light_sleep: 1000,
    heart_rate_samples: { '00:41': 76, '00:46': 77, '00:51': 72 },
  }

  it('has its lowest heart rate, and the mean of its recharge or of its own readings', async () => {
    person.nights = [NIGHT, { ...NIGHT, date: '2023-10-19', heart_rate_samples: {} }]
    const alone = (await pulled('sleep')).records.map(each => findSummary(each, 'sleep').document)
    expect(alone).toMatchObject([
      { hr_average: 75, hr_lowest: 72 },
      { hr_average: null, hr_lowest: null },
    ])
    person.recharges = [
      { date: '2023-10-20', heart_rate_avg: 70, heart_rate_variability_avg: 28, breathing_rate_avg: 14.1 },
    ]
    const { records, unmapped } = await pulled('sleep')
    expect(findSummary(records[0], 'sleep').document).toMatchObject({ hr_average: 70, hr_lowest: 72, average_hrv: 28 })
    expect(unmapped).toEqual({})
  })
})

describe('a Polar body temperature', () => {
  it('is at its UTC start plus its offset, whatever the person’s time zone', async () => {
    person.bodyTemperatures = [
      {
        source_device_id: '1111AAAA',
        measurement_type: 'TM_CORE_TEMPERATURE',
        start_time: '2023-10-20T04:00:00',
        end_time: '2023-10-20T05:00:00',
        modified_time: '2023-10-20T04:00:00',
        samples: [{ temperature_celsius: 36.5, recording_time_delta_milliseconds: 123 }],
      },
    ]
    const { samples } = await pulled('body_temperature', { timeZone: 'America/New_York' })
    expect(samples).toEqual([
      {
        ...{ resource: 'body_temperature', sourceType: 'watch', start: '2023-10-20T04:00:00.123Z', value: 36.5 },
        ...{ offset: -14_400, text: { type: 'core' } },
      },
    ])
  })
})

describe('a Polar electrocardiogram', () => {
  const TEST = {
    source_device_id: '1111AAAA',
    test_time: 1_697_787_256,
    time_zone_offset: 180,
    average_heart_rate_bpm: 60,
    samples: [
      { recording_time_delta_ms: 0, amplitude_mv: 0.05 },
      { recording_time_delta_ms: 123, amplitude_mv: 0.1 },
      { recording_time_delta_ms: 131 },
    ],
  }

  it('is a summary, with a voltage for each sample', async () => {
    person.electrocardiograms = [TEST, { ...TEST, test_time: null }]
    const { samples, summaries, unmapped } = await pulled('ecg')
    const recordId = '1111AAAA-1697787256'
    expect(summaries).toMatchObject([{ id: ownedId(USER, 'electrocardiogram', 'polar', recordId), date: '2023-10-20' }])
    expect(summaries[0]?.document).toMatchObject({
      session_start: '2023-10-20T07:34:16+00:00',
      session_end: '2023-10-20T07:34:16.123+00:00',
      voltage_sample_count: 2,
      heart_rate_mean: 60,
      classification: null,
      source_provider: 'polar',
      source_type: 'watch',
    })
    const common = { resource: 'electrocardiogram_voltage', sourceType: 'watch', offset: 10_800 }
    expect(samples).toEqual([
      { ...common, start: '2023-10-20T07:34:16.123Z', value: 0.1 },
      { ...common, start: '2023-10-20T07:34:16Z', value: 0.05 },
    ])
    expect(unmapped).toEqual({ 'ecg.samples': 1, 'ecg without test_time': 1 })
  })
})
