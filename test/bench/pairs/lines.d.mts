/** The types of `lines.mjs`, for its test. */
export function benchLines(output: string): readonly {
  readonly key: string
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly isLowerBetter: boolean
}[]
