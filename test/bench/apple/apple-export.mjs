/**
 * Creates a large, messy Apple Health export: `node test/bench/apple/apple-export.mjs --records N --seed S --out FILE`. The same seed gives
 * the same bytes. A FILE that ends in `.zip` becomes a complete export.zip with the routes of its workouts; any other becomes an
 * export.xml. The file is written while it is generated, so memory stays flat for any N.
 *
 * It is as messy as real exports: a document type that is not well-formed, devices with a memory address that differs from record to
 * record, sources with entities and no-break spaces, units that change with the source, types that nobody imports, records repeated inside
 * correlations, nested metadata, U+000B, attributes in apostrophes, comments and CDATA between records, two UTC offsets a year.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { RECORD_TYPES, SOURCES } from './apple-records.mjs'
import { FileSink, ZipSink } from './apple-zip.mjs'

const CHUNK_CHARS = 262_144
const FIRST_MS = Date.UTC(2013, 0, 1)
/** The length of time that the records span, however many there are. */
const SPAN_SECONDS = 12 * 365 * 86_400
/** One summary a day. */
const MOST_DAYS = 12 * 365
const ROUTE_POINTS = 120
const FOLDER = 'apple_health_export'

const DOCTYPE = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 13 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!-- it's in the records below ]> that the "data" are -->
<!ATTLIST Record
  type CDATA #REQUIRED
  device CDATA #IMPLIED
<!ELEMENT RightEye EMPTY>
  device           CDATA #IMPLIED
>
]>
<HealthData locale="en_DE">
 <ExportDate value="2025-12-31 18:02:11 +0100"/>
 <Me HKCharacteristicTypeIdentifierDateOfBirth="1979-05-06" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>
`

/** Returns a generator of numbers in [0, 1) that is the same on every machine. */
function chanceOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const two = number => (number < 10 ? `0${number}` : `${number}`)

/** Formats a time as in `2025-12-31 18:02:11 +0100`, with +0200 in summer. */
function stamp(seconds) {
  const ms = FIRST_MS + Math.floor(seconds) * 1000
  const month = new Date(ms).getUTCMonth()
  const east = month > 2 && month < 10 ? 2 : 1
  const local = new Date(ms + east * 3_600_000)
  const date = `${local.getUTCFullYear()}-${two(local.getUTCMonth() + 1)}-${two(local.getUTCDate())}`
  return `${date} ${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())} +0${east}00`
}

function origin(source, chance) {
  const { name, version, device, model, hardware } = SOURCES[source]
  if (device === undefined) return `sourceName="${name}" sourceVersion="${version}"`
  const address = `0x${Math.floor(chance() * 0xffff_ffff).toString(16)}`
  return (
    `sourceName="${name}" sourceVersion="${version}" device="&lt;&lt;HKDevice: ${address}&gt;, name:${device}, ` +
    `manufacturer:Apple Inc., model:${model}, hardware:${hardware}, software:${version}&gt;"`
  )
}

function record(type, attributes, inside) {
  if (inside === '') return ` <Record type="${type}" ${attributes}/>\n`
  return ` <Record type="${type}" ${attributes}>\n  ${inside}\n </Record>\n`
}

/** The records of one type, in time order. */
function* records(kind, count, chance) {
  // `grid`: two types that share their times; `night`: a run of records, then a day without any
  const most = SPAN_SECONDS / (count + 1) / (kind.night === undefined ? 1.5 : 4)
  const every = Math.min(kind.every, most)
  let at = 0
  for (let i = 0; i < count; i++) {
    at += kind.grid ? every : every * (0.5 + chance())
    if (kind.night !== undefined && i % kind.night === 0) at += 21 * every
    const form = kind.forms[Math.floor(chance() * kind.forms.length)]
    const inside = kind.inside?.[Math.floor(chance() * kind.inside.length)] ?? ''
    const unit = form.unit === undefined ? '' : ` unit="${form.unit}"`
    const end = at + (kind.lasts === 0 ? 0 : Math.min(kind.lasts, every) * chance())
    yield record(
      kind.type,
      `${origin(form.source, chance)}${unit} creationDate="${stamp(end)}" startDate="${stamp(at)}" endDate="${stamp(end)}" value="${form.value(chance)}"`,
      inside,
    )
    if (i % 5000 === 17) yield oddity(i)
  }
}

/** Content that can confuse a parser and is not a record. */
function oddity(i) {
  const odd = [
    ' <!-- <Record type="HKQuantityTypeIdentifierStepCount" value="1"/> -->\n',
    ' <![CDATA[ <Record value="not one"> ]]>\n',
    ' <?note a > b ?>\n',
    ' \t\r\n \n',
  ]
  return odd[Math.floor(i / 5000) % odd.length]
}

/** A blood pressure inside a correlation; the same record also stands on its own in the file. */
function correlation(at, chance) {
  const times = `startDate="${stamp(at)}" endDate="${stamp(at)}"`
  const half = (name, value) =>
    `  <Record type='HKQuantityTypeIdentifierBloodPressure${name}' sourceName='It&apos;s a "cuff"' unit='mmHg' ${times} value='${value}'/>\n`
  const halves = half('Systolic', 110 + Math.floor(chance() * 30)) + half('Diastolic', 70 + Math.floor(chance() * 20))
  return ` <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff" ${times}>\n${halves} </Correlation>\n`
}

const routeName = i => `workout-routes/route_${i}.gpx`

function workout(i, at, chance) {
  const minutes = 20 + chance() * 60
  const span = `startDate="${stamp(at)}" endDate="${stamp(at + minutes * 60)}"`
  const kind = ['Running', 'Cycling', 'Walking', 'Yoga'][i % 4]
  const statistics = (type, rest) => `  <WorkoutStatistics type="HKQuantityTypeIdentifier${type}" ${span} ${rest}/>\n`
  const route =
    kind === 'Yoga'
      ? ''
      : `  <WorkoutRoute ${origin('watch', chance)} creationDate="${stamp(at + 5000)}" ${span}>\n` +
        `   <MetadataEntry key="HKMetadataKeySyncVersion" value="2"/>\n   <FileReference path="/${routeName(i)}"/>\n  </WorkoutRoute>\n`
  return (
    ` <Workout workoutActivityType="HKWorkoutActivityType${kind}" duration="${minutes.toFixed(4)}" durationUnit="min" ${origin('watch', chance)} creationDate="${stamp(at + 5000)}" ${span}>\n` +
    '  <MetadataEntry key="HKIndoorWorkout" value="0"/>\n  <MetadataEntry key="HKWeatherTemperature" value="57\u000b degF"/>\n' +
    `  <MetadataEntry key="HKElevationAscended" value="${Math.floor(chance() * 9000)} cm"/>\n` +
    `  <WorkoutEvent type="HKWorkoutEventTypeSegment" date="${stamp(at)}" duration="9.5" durationUnit="min"/>\n` +
    statistics(
      'HeartRate',
      `average="${(100 + chance() * 60).toFixed(3)}" minimum="81" maximum="171" unit="count/min"`,
    ) +
    statistics('ActiveEnergyBurned', `sum="${(chance() * 600).toFixed(3)}" unit="kcal"`) +
    `${statistics('DistanceWalkingRunning', `sum="${(chance() * 12).toFixed(5)}" unit="km"`)}${route} </Workout>\n`
  )
}

function routePoints(i, at, chance) {
  let lat = 52.5
  let lon = 13.4
  const points = Array.from({ length: ROUTE_POINTS }, (_, k) => {
    lat += (chance() - 0.5) / 5000
    lon += (chance() - 0.5) / 5000
    const time = new Date(FIRST_MS + Math.floor(at + k * 7) * 1000).toISOString().replace('.000', '')
    return (
      `<trkpt lon="${lon.toFixed(6)}" lat="${lat.toFixed(6)}"><ele>${(30 + chance() * 9).toFixed(6)}</ele><time>${time}</time>` +
      `<extensions><speed>${(chance() * 4).toFixed(6)}</speed><course>11.5</course><hAcc>1.5</hAcc><vAcc>1.1</vAcc></extensions></trkpt>\n`
    )
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
 <metadata><time>2025-12-31T17:02:11Z</time></metadata>
 <trk><name>Route ${i}</name><trkseg>\n${points.join('')}</trkseg></trk>\n</gpx>\n`
}

/**
 * Writes the export and returns what it contains: `records`, the children of the root that are records, workouts, correlations or daily
 * summaries, and `routes`, the number of workout routes.
 */
export async function writeAppleExport({ records: total, seed, out }) {
  const zip = out.endsWith('.zip') ? new ZipSink(out) : undefined
  const sink = zip ?? new FileSink(out)
  const chance = chanceOf(seed)
  const days = Math.min(MOST_DAYS, Math.ceil(total * 0.002))
  const workouts = Math.ceil(total * 0.001)
  const pressures = Math.ceil(total * 0.001)
  const others = Math.max(0, total - days - workouts - pressures)
  let pending = DOCTYPE
  const put = async text => {
    pending += text
    if (pending.length < CHUNK_CHARS) return
    await sink.write(pending)
    pending = ''
  }

  await zip?.begin(`${FOLDER}/export.xml`)
  let left = others
  for (const [i, kind] of RECORD_TYPES.entries()) {
    const count = i === RECORD_TYPES.length - 1 ? left : Math.min(left, Math.round(others * kind.share))
    left -= count
    for (const text of records(kind, count, chance)) await put(text)
  }
  const every = SPAN_SECONDS / (workouts + 1)
  for (let i = 0; i < pressures; i++) await put(correlation((i * SPAN_SECONDS) / (pressures + 1), chance))
  for (let i = 0; i < workouts; i++) await put(workout(i, i * every, chance))
  for (let i = 0; i < days; i++) {
    const date = new Date(FIRST_MS + i * 86_400_000).toISOString().slice(0, 10)
    const burned = (200 + chance() * 600).toFixed(3)
    await put(
      ` <ActivitySummary dateComponents="${date}" activeEnergyBurned="${burned}" activeEnergyBurnedGoal="500" activeEnergyBurnedUnit="kcal"/>\n`,
    )
  }
  await sink.write(`${pending}</HealthData>\n`)
  const routes = Array.from({ length: workouts }, (_, i) => i).filter(i => i % 4 !== 3)
  if (zip === undefined) await sink.end()
  else {
    await zip.end()
    for (const i of routes) {
      await zip.begin(`${FOLDER}/${routeName(i)}`)
      await zip.write(routePoints(i, i * every, chance))
      await zip.end()
    }
    await zip.finish()
  }
  return { records: days + workouts + pressures + others, routes: routes.length }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { records: { type: 'string' }, seed: { type: 'string', default: '1' }, out: { type: 'string' } },
  })
  const records = Number(values.records)
  const seed = Number(values.seed)
  if (!Number.isInteger(records) || records < 1 || !Number.isInteger(seed) || values.out === undefined) {
    console.error('usage: apple-export.mjs --records N [--seed S] --out FILE.xml|FILE.zip')
    process.exit(2)
  }
  const made = await writeAppleExport({ records, seed, out: path.resolve(values.out) })
  console.log(JSON.stringify({ ...made, seed, out: values.out }))
}
