/** The mapping of the sports on the WHOOP developer pages, by their names there and in the spelling of v2 (`hiking-rucking`). */
import { describe, expect, it } from 'vitest'
import { whoopConnector } from '../../../src/connectors/live/whoop/connector.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { openWhoop } from '../../providers/whoop/whoop.ts'
import { emptyWhoopPerson } from '../../providers/whoop/whoop-data.ts'
import { personSession, pull } from './pulled.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

/** By the expected sport. */
const SPORTS: Readonly<Record<string, readonly string[]>> = {
  american_football: ['Football'],
  australian_football: ['Australian Football'],
  badminton: ['Badminton'],
  barre: ['Barre', 'Barre3'],
  baseball: ['Baseball'],
  basketball: ['Basketball'],
  boxing: ['Boxing', 'Box Fitness'],
  climbing: ['Rock Climbing'],
  cricket: ['Cricket'],
  cross_country_skiing: ['Cross Country Skiing'],
  cycling: ['Cycling'],
  dance: ['Dance'],
  disc_sports: ['Ultimate', 'Disc Golf'],
  downhill_skiing: ['Skiing'],
  elliptical: ['Elliptical'],
  equestrian_sports: ['Horseback Riding', 'Polo'],
  fencing: ['Fencing'],
  flexibility: ['Stretching'],
  functional_strength_training: ['Functional Fitness'],
  golf: ['Golf'],
  gymnastics: ['Gymnastics'],
  handball: ['Handball'],
  high_intensity_interval_training: ['HIIT', 'F45 Training', "Barry's"],
  hiking: ['Hiking/Rucking'],
  hockey: ['Field Hockey', 'Ice Hockey'],
  ice_skating: ['Ice Skating'],
  indoor_cycling: ['Assault Bike', 'Spin'],
  inline_skating: ['Inline Skating'],
  jump_rope: ['Jumping Rope'],
  kayaking: ['Kayaking'],
  kickboxing: ['Kickboxing'],
  kitesurfing: ['Kite Boarding'],
  lacrosse: ['Lacrosse'],
  martial_arts: ['Martial Arts', 'Jiu Jitsu'],
  mind_and_body: ['Meditation'],
  mountain_biking: ['Mountain Biking'],
  multisport: ['Duathlon', 'Triathlon'],
  padel: ['Padel'],
  pickleball: ['Pickleball'],
  pilates: ['Pilates'],
  rowing: ['Rowing'],
  rugby: ['Rugby'],
  running: ['Running', 'Stroller Jogging'],
  sailing: ['Sailing'],
  skating_sports: ['Skateboarding'],
  snowboarding: ['Snowboarding'],
  soccer: ['Soccer'],
  softball: ['Softball'],
  squash: ['Squash'],
  stair_climbing: ['Stairmaster', 'Climber'],
  stairs: ['Stadium Steps'],
  stand_up_paddling: ['Paddleboarding'],
  surfing_sports: ['Surfing'],
  swimming: ['Swimming'],
  table_tennis: ['Table Tennis'],
  tennis: ['Tennis', 'Paddle Tennis'],
  track_and_field: ['Track & Field', 'Track and Field'],
  traditional_strength_training: ['Weightlifting', 'Powerlifting', 'Strength Trainer', 'weightlifting_msk'],
  underwater_diving: ['Diving'],
  volleyball: ['Volleyball'],
  walking: ['Walking', 'Stroller Walking', 'Dog Walking'],
  water_polo: ['Water Polo'],
  water_sports: ['Water Skiing', 'Wakeboarding'],
  wheelchair_walk_pace: ['Wheelchair Pushing'],
  wrestling: ['Wrestling'],
  yoga: ['Yoga', 'Hot Yoga'],
  // WHOOP's own "other"
  other: ['Activity', 'Other'],
}
/** Names without a similar sport in the catalogue. */
const WITHOUT_SPORT = [
  ...[
    'Operations - Tactical',
    'Operations - Medical',
    'Operations - Flying',
    'Operations - Water',
    'Coaching',
    'Ice Bath',
  ],
  ...[
    'Commuting',
    'Gaming',
    'Motocross',
    'Caddying',
    'Obstacle Course Racing',
    'Motor Racing',
    'Manual Labor',
    'Spikeball',
  ],
  ...[
    'Stage Performance',
    'High Stress Work',
    'Parkour',
    'Gaelic Football',
    'Hurling/Camogie',
    'Circus Arts',
    'Netball',
  ],
  ...['Massage Therapy', 'Watching Sports', 'Sauna', 'Yard Work', 'Air Compression', 'Percussive Massage', 'Paintball'],
  ...['Dedicated Parenting', 'Toddlerwearing', 'Babywearing', 'Musical Performance', 'Cooking', 'Cleaning'],
  ...['Public Speaking', 'constructor'],
]

describe.each([
  ['as they are listed', (name: string) => name],
  ['in the form of v2', (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')],
])('WHOOP sports %s', (_, written) => {
  it('are mapped to the catalogue, and the ones mapped to Other are counted', async () => {
    const fake = await openWhoop({ now: () => NOW, perMinute: 10_000 })
    atEndOfFile(() => fake.close())
    const person = emptyWhoopPerson(7)
    fake.people.set('person-1', person)
    const listed = Object.entries(SPORTS).flatMap(([slug, names]) => names.map(name => [name, slug] as const))
    const expected = [...listed, ...WITHOUT_SPORT.map(name => [name, 'other'] as const)]
    person.workouts = expected.map(([name], i) => ({
      ...{ id: `bbbbbbbb-0000-4000-8000-${String(i).padStart(12, '0')}`, user_id: 7, sport_name: written(name) },
      ...{
        created_at: '2026-11-19T08:00:00.000Z',
        updated_at: '2026-11-19T08:00:00.000Z',
        score_state: 'PENDING_SCORE',
      },
      ...{ start: '2026-11-19T06:00:00.000Z', end: '2026-11-19T07:00:00.000Z', timezone_offset: '+01:00' },
    }))
    const { records, unmapped } = await pull(whoopConnector, personSession(fake, whoopConnector), {
      collection: 'workout',
      window: { from: NOW - 10 * 86_400_000, to: NOW },
    })
    const found = new Map(
      records.flatMap(({ id, summaries }) =>
        summaries.map(({ document }) => [id, (document['sport'] as { readonly slug: string }).slug] as const),
      ),
    )
    expect(expected.map(([name], i) => [name, found.get(String(person.workouts[i]?.['id']))])).toEqual(expected)
    expect(unmapped).toEqual({ 'workout.sport_name': WITHOUT_SPORT.length })
  })
})
