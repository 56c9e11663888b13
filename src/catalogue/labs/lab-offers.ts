/** Each lab's tests: panels with their members, and single tests by class and specimen in the LOINC table. */
import offers from '../data/lab-offers.json' with { type: 'json' }

export interface PanelDefinition {
  /** LOINC code of the panel. Only the code's number is used, to build IDs. */
  readonly code: string
  readonly name: string
  /** LOINC codes of the results that every report contains. */
  readonly members: readonly string[]
  /** Results that a report may lack (`required: false`). */
  readonly optional?: readonly string[]
  /** IDs of the labs that offer the panel. */
  readonly labs: readonly number[]
}

/** A set of single tests: all rows of the LOINC table that meet every condition given. */
export interface SingleOffer {
  readonly lab: number
  /** Classes in the table; if absent, all except PANEL. */
  readonly classes?: readonly string[]
  /** Specimens in the table; if absent, all. */
  readonly systems?: readonly string[]
  /** Maximum rank in the list of common tests; rows without a rank count as rare. */
  readonly commonUpTo?: number
  /** Only these codes. */
  readonly codes?: readonly string[]
}

const GROUPS: Readonly<Record<string, readonly string[]>> = offers.groups

/** Returns the listed codes, with each group name replaced by the group's codes. */
const groupCodes = (names: readonly string[]): readonly string[] => names.flatMap(name => GROUPS[name] ?? [name])

export const PANELS: readonly PanelDefinition[] = offers.panels.map(panel => ({
  ...panel,
  members: groupCodes(panel.members),
}))

export const SINGLE_OFFERS: readonly SingleOffer[] = offers.singles.map(({ codes, ...offer }) => ({
  ...offer,
  ...(codes ? { codes: groupCodes(codes) } : {}),
}))
