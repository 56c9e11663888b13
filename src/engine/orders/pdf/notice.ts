/** The footer of every page. */
export const SIMULATED = 'Produced by a simulated laboratory. Not a medical document.'
