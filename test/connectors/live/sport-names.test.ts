import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sportNamed } from '../../../src/catalogue/sports.ts'
import { ouraConnector } from '../../../src/connectors/live/oura/connector.ts'
import { EXERCISE_TYPES } from '../../providers/google-health/exercise-types.ts'
import { type FakeGoogleHealth, openGoogleHealth } from '../../providers/google-health/google-health.ts'
import { emptyPerson, interval } from '../../providers/google-health/person.ts'
import { type FakeOura, openOura } from '../../providers/oura/oura.ts'
import { HOUR, NOW, pullFrom } from './google-health/session.ts'
import { between, personSession, pull } from './pulled.ts'

let google: FakeGoogleHealth
let oura: FakeOura
beforeAll(async () => {
  ;[google, oura] = await Promise.all([openGoogleHealth(), openOura()])
})
afterAll(() => Promise.all([google.close(), oura.close()]))

/** Returns the slugs of the workouts' sports, in the order of the names. */
const slugsIn = (summaries: readonly { readonly kind: string; readonly document: unknown }[]) =>
  summaries.flatMap(({ kind, document }) =>
    kind === 'workouts' ? [(document as { sport: { slug: string } }).sport.slug] : [],
  )

describe('Google sports', () => {
  it('are mapped to the catalogue, and the ones mapped to Other are counted by name', async () => {
    const person = emptyPerson()
    google.people.set('person-1', person)
    google.pageLimit = 25
    const start = (i: number): number => NOW - HOUR - i * 60_000
    person.points['exercise'] = EXERCISE_TYPES.map((exerciseType, i) => ({
      id: exerciseType,
      body: { interval: interval(start(i), start(i) + 60_000), exerciseType },
    }))
    const { records, unmapped } = await pullFrom(google, 'exercise', { resources: ['workouts'] })
    const slugs = Object.fromEntries(records.map(each => [each.id, slugsIn(each.summaries)[0]]))
    expect(Object.keys(slugs)).toHaveLength(182)
    expect(slugs).toMatchObject({
      TREADMILL_WALK: 'walking',
      FOOTBALL_AMERICAN: 'american_football',
      STATIONARY_BIKE: 'indoor_cycling',
      SWIMMING_OPEN_WATER: 'open_water_swimming',
      PADDLEBOARDING: 'stand_up_paddling',
      PICKELBALL: 'pickleball',
      TABATA_WORKOUT: 'high_intensity_interval_training',
      YOGA_VINYASA: 'yoga',
      WHEELCHAIR: 'wheelchair_walk_pace',
      OTHER: 'other',
    })
    for (const slug of Object.values(slugs)) expect(sportNamed(slug ?? '')).toBeDefined()
    const others = Object.keys(slugs).filter(type => slugs[type] === 'other' && type !== 'OTHER')
    expect(others.sort()).toEqual(
      (
        'BILLIARDS CARPENTRY CHEERLEADING CLEANING CROQUET ELECTRIC_SCOOTER EXERCISE_CLASS EXERCISE_TYPE_UNSPECIFIED GARDENING ' +
        'HOEING HOUSEHOLD_CHORES MOTOCROSS MOTORCYCLE MOWING_LAWN MUSICAL_PERFORMANCE ORIENTEERING OUTDOOR_WORKOUT PAINTING ' +
        'PARAGLIDING PARKOUR RACKET_SPORTS SCOOTERING SHOOTING SHOVELING SKYDIVING SPORT WEEDING WORKOUT'
      ).split(' '),
    )
    expect(unmapped).toEqual(Object.fromEntries(others.map(type => [`exercise (type ${type})`, 1])))
  })
})

describe('Oura sports', () => {
  it('are mapped to the catalogue, and the ones mapped to Other are counted by name', async () => {
    const expected = {
      cycling: 'cycling',
      hiit: 'high_intensity_interval_training',
      HIIT: 'high_intensity_interval_training',
      weightlifting: 'traditional_strength_training',
      strengthTraining: 'traditional_strength_training',
      stretching: 'flexibility',
      coreExercise: 'core_training',
      crossCountrySkiing: 'cross_country_skiing',
      stair_exercise: 'stair_climbing',
      horseback_riding: 'equestrian_sports',
      jumping_rope: 'jump_rope',
      nordic_walking: 'walking',
      other: 'other',
      houseWork: 'other',
    }
    oura.person('person-1').documents['workout'] = Object.keys(expected).map((activity, i) => ({
      id: `w-${i}`,
      day: '2026-11-20',
      activity,
      start_datetime: `2026-11-20T08:${10 + i}:00+00:00`,
      end_datetime: `2026-11-20T08:${11 + i}:00+00:00`,
      intensity: 'easy',
      source: 'confirmed',
    }))
    const { summaries, unmapped } = await pull(ouraConnector, personSession(oura, ouraConnector), {
      collection: 'workout',
      window: between('2026-11-01T00:00:00Z', '2026-11-21T00:00:00Z'),
      resources: ['workouts'],
    })
    expect(slugsIn(summaries)).toEqual(Object.values(expected))
    expect(unmapped).toEqual({ 'workout (activity houseWork)': 1 })
  })
})
