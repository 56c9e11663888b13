/** Determines where a synthetic person is: at home, or on a trip in another zone, whose wall clock then applies. */
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS, type EpochMs, HOUR_MS } from '../../../core/time.ts'
import { fromLocal, zoneOffset } from '../../../core/zones.ts'
import { LocalCalendar } from '../calendar.ts'
import type { Spell, Spells } from './spells.ts'

const DESTINATIONS = [
  'America/New_York',
  'Asia/Tokyo',
  'Europe/Lisbon',
  'America/Los_Angeles',
  'Asia/Dubai',
  'Australia/Sydney',
  'Asia/Kolkata',
  'America/Sao_Paulo',
  'Europe/Berlin',
] as const
/** Minimum clock change on a trip. A trip without a noticeable change would be pointless. */
const LEAST_SHIFT_SECONDS = 3 * 3600
/**
 * Minutes from midnight at which the zone changes. A night belongs to the date on which it ends, so the clock changes on the previous
 * evening, before bedtime.
 */
const CHANGE_MINUTE = -180

/** Returns the time zone of a trip's destination. */
export function chooseDestination(trips: Spells, trip: Spell, home: string): string {
  const from = trips.chance(trip.index, 'destination').whole(0, DESTINATIONS.length - 1)
  const offset = zoneOffset(home, trip.firstMs)
  const order = [...DESTINATIONS.slice(from), ...DESTINATIONS.slice(0, from)]
  const far = order.find(zone => Math.abs(zoneOffset(zone, trip.firstMs) - offset) >= LEAST_SHIFT_SECONDS)
  return far ?? order[0] ?? home
}

/** A stay in one zone; `until` is exclusive. */
interface Stay {
  readonly from: EpochMs
  readonly until: EpochMs
  readonly calendar: LocalCalendar
}

/**
 * The calendar of a person who travels. A date belongs to the zone in which the person spends it, so the day before a trip is longer or
 * shorter than other days, as with a real flight. An instant's offset is the offset of the zone at that time.
 */
export class TravelCalendar extends LocalCalendar {
  private readonly trips: Spells
  private readonly home: LocalCalendar
  /** Calendars by trip index. */
  private readonly abroad = new Map<number, LocalCalendar>()
  private stay: Stay | undefined

  constructor(home: string, trips: Spells) {
    super(home)
    this.home = new LocalCalendar(home)
    this.trips = trips
  }

  override instantAt(dateMs: EpochMs, minute: number): EpochMs {
    return this.ofDate(dateMs).instantAt(dateMs, minute)
  }

  override offsetAt(at: EpochMs): number | null {
    if (!this.stay || at < this.stay.from || at >= this.stay.until) this.stay = this.stayAt(at)
    return this.stay.calendar.offsetAt(at)
  }

  override ofDate(dateMs: EpochMs): LocalCalendar {
    const trip = this.trips.on(dateMs)
    return trip ? this.tripCalendar(trip) : this.home
  }

  private stayAt(at: EpochMs): Stay {
    const block = this.trips.blockAt(at)
    let from = at - DAY_MS
    for (const index of [block - 1, block, block + 1]) {
      const trip = this.trips.ofBlock(index)
      const zone = this.tripCalendar(trip)
      const arrival = zoneChange(zone, trip.firstMs)
      const departure = zoneChange(this.home, trip.lastMs + DAY_MS)
      if (at < arrival) return { from, until: arrival, calendar: this.home }
      if (at < departure) return { from: arrival, until: departure, calendar: zone }
      from = departure
    }
    return { from, until: at + HOUR_MS, calendar: this.home }
  }

  private tripCalendar(trip: Spell): LocalCalendar {
    return getOrInsert(
      this.abroad,
      trip.index,
      () => new LocalCalendar(chooseDestination(this.trips, trip, this.home.timeZone as string)),
    )
  }
}

function zoneChange(calendar: LocalCalendar, dateMs: EpochMs): EpochMs {
  return fromLocal(calendar.timeZone as string, dateMs + CHANGE_MINUTE * 60_000)
}
