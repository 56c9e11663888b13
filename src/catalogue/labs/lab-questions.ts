/** A laboratory's questions about certain ordered markers, by LOINC code. See docs/interface/orders.md#orders-3. */

/** Questions that an order must answer. */
export interface AskOnOrderEntry {
  readonly questions: readonly {
    readonly id: number
    readonly required: boolean
    readonly code: string
    readonly value: string
    readonly type: 'choice' | 'text' | 'numeric' | 'multi_choice'
    readonly sequence: number
    readonly answers: readonly { readonly id: number; readonly code: string; readonly value: string }[]
    readonly constraint: string | null
    readonly default: string | null
  }[]
}

export const LAB_QUESTIONS: Readonly<Record<string, AskOnOrderEntry>> = {
  '5671-3': {
    questions: [
      {
        id: 1,
        required: true,
        code: 'PURPOSE',
        value: 'Why is lead measured?',
        type: 'choice',
        sequence: 1,
        answers: [
          { id: 1, code: 'I', value: 'First test' },
          { id: 2, code: 'R', value: 'Repeated test' },
          { id: 3, code: 'F', value: 'Follow-up after treatment' },
        ],
        constraint: null,
        default: null,
      },
    ],
  },
  '2986-8': {
    questions: [
      {
        id: 1,
        required: false,
        code: 'THERAPY',
        value: 'Which hormones does the patient take?',
        type: 'text',
        sequence: 1,
        answers: [],
        constraint: null,
        default: null,
      },
    ],
  },
}
