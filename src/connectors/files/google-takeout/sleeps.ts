/** Reads the nights in a Google Health takeout, which contains them as JSON and as tables, and tables several times. */
import { type EpochMs, localDate, SECOND_MS } from '../../../core/time.ts'
import { asNumber, asText, member, objectsIn } from '../../shared/json-fields.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { STAGES } from '../../shared/summaries.ts'
import { type ArchiveClock, localTime, readOffset, utcTime } from '../archive/clock.ts'
import { addNight, type NightSpan, ordered, overlaid } from '../archive/nights.ts'
import type { FieldTable, PartRecord, TableRow } from '../archive/record.ts'
import type { ArchiveRun } from '../archive/run.ts'

/** Stages by name. Restless sleep is neither asleep nor awake, and classic devices know only whether a person is asleep. */
const STAGE_OF: Readonly<Record<string, number>> = {
  wake: STAGES.awake,
  awake: STAGES.awake,
  light: STAGES.light,
  deep: STAGES.deep,
  rem: STAGES.rem,
  asleep: STAGES.missing,
  restless: STAGES.missing,
}
const LOG_FIELDS: FieldTable = {
  total: ['minutesAsleep', 60],
  awake: ['minutesAwake', 60],
  latency: ['minutesToFallAsleep', 60],
}
const ROW_FIELDS: FieldTable = {
  total: ['minutes_asleep', 60],
  awake: ['minutes_awake', 60],
  latency: ['minutes_to_fall_asleep', 60],
}
const RESTLESS = 'restless'
/** Maximum number of nights and of stages in tables, enough for more than a lifetime. */
const MOST_NIGHTS = 100_000
const MOST_STAGES = 2_000_000
const WITH_NIGHT = 'scores and stages, which belong to nights'
const COPY = 'copies of nights that other files have'

/** A night in a table. */
interface TableNight {
  readonly id: string
  readonly start: RecordTime
  readonly end: RecordTime
  readonly version: number
  readonly fields: Readonly<Record<string, unknown>>
  readonly spans: NightSpan[]
  readonly position: string
}

export class TakeoutSleeps {
  private readonly run: ArchiveRun
  private readonly clock: ArchiveClock
  /** Scores by the ID of a log or of a night in a table. */
  private readonly scores = new Map<string, number>()
  private readonly nights = new Map<string, TableNight>()
  /** The nights in JSON. */
  private readonly logged: { readonly start: EpochMs; readonly end: EpochMs }[] = []
  private stages = 0

  constructor(run: ArchiveRun, clock: ArchiveClock) {
    this.run = run
    this.clock = clock
  }

  /** Reads a score. -1 means that there is none. */
  score(idColumn: string, row: TableRow) {
    const [id, score] = [row.text(idColumn), row.number('overall_score')]
    if (id === undefined || score === undefined) return
    if (score < 0) return this.run.skip(`${this.run.family} values that stand for no measurement`)
    if (this.scores.size < MOST_NIGHTS) this.scores.set(id, score)
    this.run.skip(WITH_NIGHT)
  }

  /** Reads a night in JSON, whose times are local. */
  addLog(log: PartRecord): void {
    const [start, end] = [localTime(log.text('startTime')), localTime(log.text('endTime'))]
    if (start === undefined || end === undefined) return
    const [from, to] = [this.clock.local(start), this.clock.local(end)]
    this.logged.push({ start: from.ms, end: to.ms })
    const levels = log.value('levels')
    const spansOf = (name: string): NightSpan[] =>
      objectsIn(member(levels, name)).flatMap(level => levelSpan(level, from.ms - start))
    const id = String(log.value('logId') ?? '')
    addNight(this.run, {
      id: id === '' ? undefined : id,
      start: from,
      end: to,
      // short wakes lie on top of the other levels, which fill the night without them
      spans: overlaid(spansOf('data'), spansOf('shortData')),
      fields: { ...log.positives(LOG_FIELDS), score: this.scores.get(id) ?? null },
      isNap: log.value('mainSleep') === false,
    })
  }

  /** Reads a night in a table, whose times are in UTC with offsets. It is kept until all nights are known. */
  addRow(row: TableRow) {
    const { run, clock } = this
    const offsets = [readOffset(row.text('start_utc_offset')), readOffset(row.text('end_utc_offset'))] as const
    const start = utcTime(row.text('sleep_start'), offsets[0])
    const end = utcTime(row.text('sleep_end'), offsets[1])
    const id = row.text('sleep_id')
    if (start === undefined || end === undefined || id === undefined) return
    clock.learn(localDate(start.ms, start.offset), start.offset)
    clock.learn(localDate(end.ms, end.offset), end.offset)
    if (this.nights.has(id)) return run.skip(COPY)
    if (this.nights.size >= MOST_NIGHTS) return run.skip(`nights after the first ${MOST_NIGHTS}`)
    const fields = row.positives(ROW_FIELDS)
    const version = Number(/\d+/.exec(row.text('algorithm_version') ?? '')?.[0] ?? 0)
    this.nights.set(id, { id, start, end, version, fields, spans: [], position: run.positionOf() })
    run.hold()
  }

  /** Reads a stage in a table, after all nights in tables. */
  addStage(row: TableRow) {
    const { run } = this
    const start = utcTime(row.text(/^sleep_stage_start|^start/))?.ms
    const end = utcTime(row.text(/^sleep_stage_end|^end/))?.ms
    const type = row.text('sleep_stage_type')?.toLowerCase() ?? ''
    const stage = STAGE_OF[type]
    if (start === undefined || end === undefined || stage === undefined) return
    const night = this.nights.get(row.text('sleep_id') ?? '')
    if (night === undefined) return run.skip('stages of nights that are not in the archive')
    if (++this.stages > MOST_STAGES) return run.skip(`stages after the first ${MOST_STAGES}`)
    night.spans.push({ stage, start, end, isRestless: type === RESTLESS })
    run.skip(WITH_NIGHT)
  }

  /** Adds the nights in tables that are neither in JSON nor an older version of another night. */
  finish(): void {
    const nights = [...this.nights.values()].sort((a, b) => a.start.ms - b.start.ms)
    const kept: TableNight[] = []
    for (const night of nights) {
      const last = kept.at(-1)
      const isSame = last !== undefined && overlap(last, night)
      if (isSame && night.version > last.version) kept.pop()
      const loser = isSame && night.version > last.version ? last : night
      if (isSame) this.run.skip('older versions of nights that the archive also has in a newer one', 1, loser.position)
      if (!isSame || loser === last) kept.push(night)
    }
    const logged = this.logged.toSorted((a, b) => a.start - b.start)
    let next = 0
    for (const night of kept) {
      while ((logged[next]?.end ?? Number.POSITIVE_INFINITY) <= night.start.ms) next++
      const other = logged[next]
      if (other !== undefined && other.start < night.end.ms) this.run.skip(COPY, 1, night.position)
      else this.addTableNight(night)
    }
  }

  private addTableNight({ id, start, end, fields, spans }: TableNight): void {
    addNight(this.run, {
      id,
      start,
      end,
      spans: ordered(spans),
      fields: { ...fields, score: this.scores.get(id) ?? null },
    })
  }
}

/** Returns the span of a level. Its local time is on the clock of the night's start, so one offset is used for the whole night. */
function levelSpan(level: unknown, offsetMs: number): NightSpan | [] {
  const [at, seconds] = [localTime(asText(member(level, 'dateTime'))), asNumber(member(level, 'seconds'))]
  const type = asText(member(level, 'level')) ?? ''
  const stage = STAGE_OF[type]
  if (at === undefined || seconds === undefined || stage === undefined) return []
  const start = at + offsetMs
  return { stage, start, end: start + seconds * SECOND_MS, isRestless: type === RESTLESS }
}

function overlap(a: TableNight, b: TableNight): boolean {
  return a.start.ms < b.end.ms && b.start.ms < a.end.ms
}
