/** The factor between the units of glucose, the same for imports and live providers, so that equal readings have equal values. */

/** mg/dL in one mmol/L: the molar mass of glucose. */
export const GLUCOSE_MG_DL = 18.0156
