/** What stands at the foot of every page. */
export const SIMULATED = 'Made by a simulated laboratory: not a medical document.'
