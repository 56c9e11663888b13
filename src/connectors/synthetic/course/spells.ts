/** Recurring periods of unusual days, such as an illness, a trip, or days without the device. */
import { Stream } from '../../../core/random.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'

/** A spell, with dates as midnight UTC, both inclusive. */
export interface Spell {
  /** The spell's number among all spells of its kind, which determines its random stream. */
  readonly index: number
  readonly firstMs: EpochMs
  readonly lastMs: EpochMs
}

export interface Recurrence {
  readonly seed: string
  readonly userId: string
  /** Name of the kind of spell. */
  readonly name: string
  /** Length of a block in days. Each block contains one spell, and any 2 × blockDays − 1 days contain a whole block. */
  readonly blockDays: number
  readonly leastDays: number
  readonly mostDays: number
}

/** Number of days on either side of a spell that do not belong to any spell, so that two spells never touch. */
const MARGIN_DAYS = 3

/** All of a person's spells of one kind. They depend only on the recurrence. */
export class Spells {
  private readonly recurrence: Recurrence
  /** Shift of the blocks in days, so that not everyone falls ill on the same days. */
  private readonly phase: number
  private readonly known = new Map<number, Spell>()

  constructor(recurrence: Recurrence) {
    this.recurrence = recurrence
    this.phase = this.chance('phase').whole(0, recurrence.blockDays - 1)
  }

  /** Returns the random stream for a spell, or for one aspect of it. */
  chance(...path: readonly (string | number)[]): Stream {
    const { seed, userId, name } = this.recurrence
    return new Stream(seed, userId, name, ...path)
  }

  /** Returns the number of the block with this date. */
  blockAt(dateMs: EpochMs): number {
    return Math.floor((Math.floor(dateMs / DAY_MS) - this.phase) / this.recurrence.blockDays)
  }

  /** Returns a block's spell. */
  ofBlock(index: number): Spell {
    const known = this.known.get(index)
    if (known) return known
    const { blockDays, leastDays, mostDays } = this.recurrence
    const chance = this.chance(index)
    const days = chance.whole(leastDays, mostDays)
    const first = index * blockDays + this.phase + chance.whole(MARGIN_DAYS, blockDays - days - MARGIN_DAYS)
    const spell = { index, firstMs: first * DAY_MS, lastMs: (first + days - 1) * DAY_MS }
    this.known.set(index, spell)
    return spell
  }

  /** Returns the spell that includes a date, or null. */
  on(dateMs: EpochMs): Spell | null {
    const spell = this.ofBlock(this.blockAt(dateMs))
    return dateMs >= spell.firstMs && dateMs <= spell.lastMs ? spell : null
  }

  /** Returns the spells that overlap [firstMs, lastMs], in ascending order. */
  within(firstMs: EpochMs, lastMs: EpochMs): Spell[] {
    const spells: Spell[] = []
    for (let index = this.blockAt(firstMs); index <= this.blockAt(lastMs); index++) {
      const spell = this.ofBlock(index)
      if (spell.lastMs >= firstMs && spell.firstMs <= lastMs) spells.push(spell)
    }
    return spells
  }
}
